/** The operations of the read-write lock. */
export { ask, type ReadWriteAskOptions, type ReadWriteAskReply } from './ask.js';
export type { ReadWriteGranting, Side } from './granting.js';
export { downgrade, raise, renew } from './held.js';
export { inspect, type ReadWriteHolder, type ReadWriteInspectReply, type ReadWriteWaiter } from './inspect.js';
export { cancel, type LeaveOptions, type ReadWriteReleaseReply, release } from './leave.js';
export {
  force,
  peek,
  type ReadWriteForceOptions,
  type ReadWriteForceReply,
  type ReadWritePeekReply,
  serve,
} from './whole.js';
