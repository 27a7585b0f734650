import { setTimeout as sleep } from 'node:timers/promises';
import { Reentrant } from './07-reentrant.js';

const LONGEST_PAUSE_MS = 128;

/** System 8: system 7, tried again after 1, 2, 4 … 128 ms. */
export class Spin extends Reentrant {
  override async tryLock(waitMs = 0): Promise<boolean> {
    const deadline = performance.now() + waitMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if ((await this.attempt()) === 'mine') return true;
      if (performance.now() >= deadline) return false;
      await sleep(pauseMs);
    }
  }

  async withLock<T>(waitMs: number, work: () => Promise<T>): Promise<T> {
    if (!(await this.tryLock(waitMs))) throw new Error('busy');
    try {
      return await work();
    } finally {
      await this.unlock();
    }
  }
}
