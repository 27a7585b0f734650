// What to do when Redis is away, decided for each use and stated in the code: see README.md.
import { type Hold, type LockClient, LockUnavailableError } from 'holdfast';

/**
 * What becomes of work whose lock cannot be had because Redis is away:
 *
 * - `skip`: it is not done now. For what comes round again: a cleanup, a refresh.
 * - `go on`: it is done without the lock. For what the lock only spares: twice is waste, and does no harm.
 * - `refuse`: the caller is told to come again. For what must not be done twice.
 */
export type WhenAway = 'skip' | 'go on' | 'refuse';

/** How it came out. */
export type Done<T> =
  | { readonly how: 'with the lock' | 'without the lock'; readonly value: T }
  | { readonly how: 'busy' | 'skipped' };

/** For the caller's own callers: such as status 503 with `Retry-After`. */
export class ComeAgainError extends Error {
  override readonly name = 'ComeAgainError';
}

/** Sections of one process that know what to do without Redis. */
export class Degrading {
  readonly #locks: LockClient;
  #away = false;

  constructor(locks: LockClient) {
    this.#locks = locks;
  }

  /** Redis was away when a lock was last asked for: what a health check shows. */
  get degraded(): boolean {
    return this.#away;
  }

  /** Runs `work` with the lock; `hold` is absent when it runs without. Never runs it twice. */
  async run<T>(name: string, whenAway: WhenAway, work: (hold: Hold | undefined) => Promise<T>): Promise<Done<T>> {
    // While the server of this lock is known to be away no call waits for it. The client connects again by itself. Not `ready`: on a Cluster that
    // is about all servers, and another process may have this lock, on one that is there.
    if (this.#away && this.#locks.troubleWith(name) !== undefined) return this.#without(name, whenAway, work);
    let begun = false;
    try {
      const done = await this.#locks.getLock(name).tryWithLock((hold) => {
        begun = true;
        return work(hold);
      });
      this.#away = false;
      return done.ran ? { how: 'with the lock', value: done.value } : { how: 'busy' };
    } catch (error) {
      // Work that has begun is never begun again: a lock that is lost below it is an error of that work.
      if (begun || !(error instanceof LockUnavailableError)) throw error;
      this.#away = true;
      return this.#without(name, whenAway, work);
    }
  }

  async #without<T>(name: string, whenAway: WhenAway, work: (hold: undefined) => Promise<T>): Promise<Done<T>> {
    if (whenAway === 'refuse') throw new ComeAgainError(`"${name}" cannot be locked now: come again in a few seconds`);
    if (whenAway === 'skip') return { how: 'skipped' };
    return { how: 'without the lock', value: await work(undefined) };
  }
}
