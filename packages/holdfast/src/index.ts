/**
 * Re-entrant distributed locks for Node.js on Redis.
 *
 * @module holdfast
 */
export type { AcquireOptions, LockOptions } from './acquire-options.js';
export { createLockClient, LockClient } from './client.js';
export {
  type AnyLockError,
  LockClientClosedError,
  LockError,
  type LockErrorCode,
  type LockLimit,
  LockLimitError,
  LockLostError,
  type LockLostReason,
  LockNodesError,
  LockNotHeldError,
  LockNotReplicatedError,
  LockRefusedError,
  LockScopeError,
  LockTimeoutError,
  LockUnavailableError,
  LockUpgradeError,
  LockDeadlockError,
  type DeadlockWait,
  SharedFailureError,
  StaleTokenError,
} from './errors.js';
export type { Guard, GuardSetOptions } from './primitives/guard.js';
export type { CampaignOptions, Election, Leader, Leadership, ObserveOptions } from './primitives/election.js';
export type { FencedHold, RFencedLock } from './primitives/fenced-lock.js';
export type { Hold, HoldState } from './primitives/hold.js';
export type { Inherited } from './tenure/inherited.js';
export type { ClientCard } from './identity.js';
export type {
  InspectedPermitHolder,
  InspectedPermitWait,
  SemaphoreInspection,
} from './inspection/semaphore-inspection.js';
export type { InspectedHolder, InspectedWait, LockInspection } from './inspection/inspection.js';
export type { ListedLock, ListLocksOptions } from './inspection/lock-list.js';
export type { CloseOptions, ConnectOptions, LockHandleOptions, SpinLockOptions } from './lock-client.js';
export type { LimitOptions, LockClientOptions, RedisInput, ReplicaOptions } from './options.js';
export type { LockDiagnostics, LockEventMessage, LockHoldMessage, LockMessage } from './reports/channels.js';
export type { LeakHow, LockClientEvents, LockClientListener, LockHoldEvent } from './reports/events.js';
export type { AcquiredHow, Distribution, DurationBucket, LockClientStats } from './reports/stats.js';
export type { LockAcquireTrace, LockSectionTrace, LockTraces } from './reports/tracing.js';
export type { BackOff, SpinOptions } from './primitives/spin-options.js';
export type { MultiLock } from './primitives/multi-lock.js';
export type { ReadWriteLock, ReadWriteLockOptions } from './primitives/read-write-lock.js';
export type {
  PermitHold,
  PermitOptions,
  PermitSectionOptions,
  RSemaphore,
  SemaphoreOptions,
  TryPermitOptions,
} from './primitives/semaphore.js';
export type {
  PermitIdOptions,
  PermitLease,
  RPermitExpirableSemaphore,
  TryPermitIdOptions,
} from './primitives/expirable-semaphore.js';
export type { OncePerOptions } from './primitives/once-per.js';
export type {
  AwaitLatchOptions,
  CountDownOptions,
  LatchInspection,
  RCountDownLatch,
} from './primitives/count-down-latch.js';
export type { ShareCodec, ShareOptions } from './primitives/share.js';
export type { RLock, TryResult } from './primitives/rlock.js';
export { createRedLockClient } from './redlock/redlock-client.js';
export type { RedLockClient, RedLockNode } from './redlock/redlock-client-members.js';
export type { NodeState } from './redlock/lock-node.js';
export type { RedLockClientOptions, RedLockNodeInput } from './redlock/redlock-options.js';
