/**
 * What the locks guard: a number per lock in a server of its own, raised by reading and writing it, so that two at once lose an update
 * where everybody can see it.
 *
 * A value is `<number>:<who wrote it>`, so each one is written once. A worker that stood still between its reading and its writing may
 * write late, without holding the lock any more; no lock can prevent that. Such a write is told from one of a holder by what the hold
 * says of itself *after* the write was acknowledged.
 */
import { Redis } from 'ioredis';
import type { Address } from '../site/reach.js';

/** One step: what was there and what is there now. */
export interface Step {
  readonly after: string;
  readonly value: number;
}

export class Guard {
  readonly #redis: Redis;

  constructor(address: Address) {
    this.#redis = new Redis({ ...address, enableAutoPipelining: true });
    this.#redis.on('error', () => undefined);
  }

  /** Raises the number of `lock`; `who` must be new every time. */
  async step(lock: string, who: string): Promise<Step> {
    const key = `guarded:${lock}`;
    const after = (await this.#redis.get(key)) ?? '0:nobody';
    const value = Number.parseInt(after, 10) + 1;
    await this.#redis.set(key, `${value}:${who}`);
    return { after, value };
  }

  close(): void {
    this.#redis.disconnect();
  }
}
