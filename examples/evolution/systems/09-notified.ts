import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { Reentrant } from './07-reentrant.js';

/** System 9: who waits listens for the release, and then tries. The end of the holder's lease is the latest time to look. */
export class Notified extends Reentrant {
  readonly #listening: Redis;

  /** `listening` is a second connection: one that has subscribed can do nothing else. */
  constructor(redis: Redis, listening: Redis, key: string, leaseMs: number) {
    super(redis, key, leaseMs);
    this.#listening = listening;
  }

  override async tryLock(waitMs = 0): Promise<boolean> {
    const deadline = performance.now() + waitMs;
    if ((await this.attempt()) === 'mine') return true;
    await this.#listening.subscribe(this.key);
    try {
      for (;;) {
        const wake = new AbortController();
        const heard = new Promise<void>((resolve) => this.#listening.once('message', () => resolve()));
        const left = await this.attempt();
        if (left === 'mine') return true;
        const restMs = Math.min(left, deadline - performance.now());
        if (restMs <= 0) return false;
        await Promise.race([heard, sleep(restMs, undefined, { signal: wake.signal })]);
        wake.abort();
      }
    } finally {
      this.#listening.removeAllListeners('message');
      await this.#listening.unsubscribe(this.key);
    }
  }
}
