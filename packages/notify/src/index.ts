export { AbortHub } from './abort-hub.js';
export { SubscriptionClosedError } from './channel-subscription.js';
export type { ErrorListener } from './guarded.js';
export { Inbox, type InboxListener, type InboxOptions } from './inbox.js';
export { type InboxMessage, parseInboxMessage } from './inbox-message.js';
export { assertTimings, nextAskDelayMs, type ReaskSituation, type WaitTimings } from './reask.js';
export {
  type Membership,
  ReleaseBroadcast,
  type ReleaseBroadcastOptions,
  type ReleaseListener,
} from './release-broadcast.js';
export type { SubscriberListener, SubscriberPort } from './subscriber-port.js';
export { type TimerEntry, type TimerPort, quietWait, type WaitHandler, Wait, type WaitOptions } from './wait.js';
