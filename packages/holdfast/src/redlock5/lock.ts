import type { Attempts, ExecutionResult } from './votes.js';

/** What a lock needs of its `Redlock`. */
interface Keeper {
  release(lock: Lock): Promise<ExecutionResult>;
  extend(lock: Lock, duration: number): Promise<Lock>;
}

/** Resources that are held, until they are released or their time is over. Made by `acquire` and `extend`: one of your own making holds nothing. */
export class Lock {
  readonly redlock: Keeper;
  /** Their names, as they were asked for. */
  readonly resources: string[];
  /** An id of this acquisition, for logs. It is not in Redis. */
  readonly value: string;
  readonly attempts: Attempts;
  /** By `Date.now()`: until then the resources are held, for certain. 0 after a release, and when `extend` has given another object in its place. */
  expiration: number;

  constructor(redlock: Keeper, resources: string[], value: string, attempts: Attempts, expiration: number) {
    this.redlock = redlock;
    this.resources = resources;
    this.value = value;
    this.attempts = attempts;
    this.expiration = expiration;
  }

  /** @throws as `Redlock.release`. */
  release(): Promise<ExecutionResult> {
    return this.redlock.release(this);
  }

  /** @throws as `Redlock.extend`. */
  extend(duration: number): Promise<Lock> {
    return this.redlock.extend(this, duration);
  }
}
