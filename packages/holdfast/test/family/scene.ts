import type { LockClient, LockClientOptions, RLock } from 'holdfast';

/** What the tests of a part of the contract work with. */
export type SetUp = (options?: Partial<LockClientOptions>) => Scene;

/** One lock, and a way to open more processes that want it. */
export interface Scene {
  readonly name: string;
  readonly client: LockClient;
  readonly lock: RLock;
  /** A handle of another process. */
  readonly stranger: (options?: Partial<LockClientOptions>) => RLock;
  /** Until so many clients wait for the lock. */
  readonly waiting: (count: number) => Promise<void>;
  /** Until nothing of the lock is left on the server. */
  readonly gone: () => Promise<void>;
}
