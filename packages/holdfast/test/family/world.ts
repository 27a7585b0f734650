import type { LockClient, LockClientOptions } from 'holdfast';
import type { Redis } from 'ioredis';

/**
 * Where the contract is tried: servers of a kind, and how time passes there. Its tests ask for conditions and never for milliseconds, so that
 * a world with a clock of its own can let an hour pass at once.
 */
export interface World {
  readonly title: string;
  /** A client of this world's server, closed when the test has ended. Each is a process of its own as far as locks know. */
  open(options?: Partial<LockClientOptions>): LockClient;
  /** Lets time pass until `condition` holds. Fails after a minute of the world's time. */
  until(condition: () => boolean | Promise<boolean>, what: string): Promise<void>;
  /** Lets time pass until `call` has settled, and gives what it came to. */
  outcome<T>(call: Promise<T>): Promise<T>;
  /** As an operator would, with DEL. */
  deleteLock(name: string): Promise<void>;
  /** Every key on the server that belongs to `name` but those that are {@link KEPT}: none of it may stay when the lock is not wanted any more. */
  keysOf(name: string): Promise<string[]>;
  /** How many clients wait for the lock: places in the queue, or listeners of its channel. */
  waiters(name: string, wakeup: Wakeup): Promise<number>;
}

/** Keys that outlive a lock on purpose: tombstones, and the counter of tokens. */
export const KEPT = /^(?:holdfast_dead|redisson_lock_token)/;

export type Wakeup = NonNullable<LockClientOptions['wakeup']>;
export const wakeups: readonly Wakeup[] = ['queue', 'redisson'];

/** See {@link World.waiters}: of whatever primitive has the name. */
export async function waitersOf(admin: Redis, name: string, wakeup: Wakeup): Promise<number> {
  const counts =
    wakeup === 'queue'
      ? await Promise.all(
          ['queue', 'rw_writers', 'rw_readers', 'sem_queue'].map((kind) => admin.zcard(`holdfast_${kind}:{${name}}`)),
        )
      : (
          await admin.pubsub(
            'NUMSUB',
            ...['redisson_lock__channel', 'redisson_rwlock', 'redisson_sc'].map((kind) => `${kind}:{${name}}`),
          )
        ).map((count) => (Number.isNaN(Number(count)) ? 0 : Number(count)));
  return counts.reduce((sum, count) => sum + count, 0);
}
