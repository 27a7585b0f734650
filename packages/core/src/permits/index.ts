/** The operations of the semaphore. */
export { ask, type PermitsAskOptions, type PermitsAskReply } from './ask.js';
export {
  type PermitsReleaseOptions,
  type PermitsReleaseReply,
  type PermitsRenewItem,
  release,
  renew,
  shrink,
  type ShrinkOptions,
} from './held.js';
export {
  adopt,
  issue,
  type IssueOptions,
  type IssueReply,
  MAX_IDS,
  setLease,
  takeBack,
  type TakeBackReply,
} from './ids.js';
export {
  inspect,
  type InspectedPermits,
  type InspectedPermitsWaiter,
  type PermitsInspectReply,
} from './inspect.js';
export type { Lease } from '../protocol/lease.js';
export {
  count,
  type Counting,
  type CountOptions,
  type CountReply,
  peek,
  type PermitsPeekReply,
  serve,
} from './whole.js';
