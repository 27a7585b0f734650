import { setTimeout } from 'node:timers/promises';
import { now } from '../measure/clock.js';
import { Histogram } from '../measure/histogram.js';
import type { PeerClient } from '../peers/peer.js';
import type { CrowdReport, ServedReport } from './messages.js';
import { liveHeapBytes, peakMiB } from './resources.js';

/** By then every call has been told that the lock is taken. */
const SETTLED_MS = 1_000;

/** Many tasks of one process that wait for one lock which another process holds. */
export class Crowd {
  readonly #enteredAt: number[] = [];
  readonly #failures: string[] = [];
  #all: Promise<unknown> = Promise.resolve();

  async gather(client: PeerClient, name: string, count: number): Promise<CrowdReport> {
    // What the loop itself keeps for each call is not the library's.
    const never = new Promise<never>(() => undefined);
    const own = await this.#bytesOf(count, () => never);
    const all = await this.#bytesOf(count, (section) => client.locker().run(name, section));
    return { bytesEach: (all - own) / count };
  }

  /** By how much the heap grows when so many calls wait. */
  async #bytesOf(count: number, run: (section: () => unknown) => Promise<unknown>): Promise<number> {
    this.#all = Promise.resolve();
    const before = await liveHeapBytes();
    this.#all = this.#call(count, run);
    await setTimeout(SETTLED_MS);
    return (await liveHeapBytes()) - before;
  }

  #call(count: number, run: (section: () => unknown) => Promise<unknown>): Promise<unknown> {
    return Promise.all(
      Array.from({ length: count }, () =>
        run(() => this.#enteredAt.push(now())).catch((error: unknown) => this.#failures.push(String(error))),
      ),
    );
  }

  /** Resolves when the last has been served. `freedAt` is when the lock was given back. */
  async served(freedAt: number): Promise<ServedReport> {
    await this.#all;
    const wait = new Histogram();
    for (const enteredAt of this.#enteredAt) wait.record((enteredAt - freedAt) * 1_000);
    return {
      served: this.#enteredAt.length,
      lastAfterMs: Math.max(...this.#enteredAt) - freedAt,
      wait: wait.buckets(),
      failures: this.#failures.slice(0, 5),
      peakMiB: peakMiB(),
    };
  }
}
