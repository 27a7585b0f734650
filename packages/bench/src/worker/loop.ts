import { setImmediate, setTimeout } from 'node:timers/promises';
import { now } from '../measure/clock.js';
import { Histogram } from '../measure/histogram.js';
import type { Locker, PeerClient } from '../peers/peer.js';
import type { LoopOrder, LoopReport } from './messages.js';
import type { RoundTrips } from './round-trips.js';
import { watchResources } from './resources.js';

/** Kept as they are; more would only say the same. */
const MAX_FAILURES = 5;

/** One run of a closed loop; see {@link LoopOrder}. */
class Loop {
  readonly #order: LoopOrder;
  readonly #endAt: number;
  readonly #acquire = new Histogram();
  readonly #timeline: number[] = [];
  readonly #failures: string[] = [];
  readonly #served: number[];
  readonly #line: RoundTrips | undefined;
  #sections = 0;
  #inside = 0;
  #mostInside = 0;

  constructor(order: LoopOrder, line: RoundTrips | undefined) {
    this.#order = order;
    this.#line = line;
    this.#endAt = order.startAt + order.durationMs;
    this.#served = Array.from({ length: order.tasks }, () => 0);
  }

  async run(client: PeerClient): Promise<LoopReport> {
    const { startAt, tasks } = this.#order;
    await setTimeout(Math.max(0, startAt - now()));
    const resources = watchResources();
    await Promise.all(Array.from({ length: tasks }, (_, task) => this.#task(task, client.locker())));
    return {
      served: this.#served,
      sections: this.#sections,
      failures: this.#failures,
      acquire: this.#acquire.buckets(),
      timeline: this.#timeline,
      mostInside: this.#mostInside,
      resources: resources(),
    };
  }

  async #task(task: number, locker: Locker): Promise<void> {
    const { name: base, locks, depth } = this.#order;
    const name = locks === 'one' ? base : `${base}:${task}`;
    do {
      const askedAt = now();
      try {
        await this.#nested(locker, name, depth, () => this.#section(task, askedAt));
      } catch (error) {
        if (this.#failures.length < MAX_FAILURES) this.#failures.push(String(error));
        await setImmediate(); // a call that fails at once must not keep the others from running
      }
    } while (now() < this.#endAt);
  }

  #nested(locker: Locker, name: string, depth: number, section: () => unknown): Promise<unknown> {
    return locker.run(name, depth === 1 ? section : () => this.#nested(locker, name, depth - 1, section));
  }

  #section(task: number, askedAt: number): Promise<void> | undefined {
    const enteredAt = now();
    this.#acquire.record((enteredAt - askedAt) * 1_000);
    this.#sections++;
    if (enteredAt < this.#endAt) this.#served[task] = (this.#served[task] ?? 0) + 1;
    this.#mostInside = Math.max(this.#mostInside, ++this.#inside);
    // Who is let in after the end leaves at once, so that a round ends when it should.
    const work = enteredAt < this.#endAt ? this.#work() : undefined;
    if (work !== undefined) return work.then(() => this.#leave(askedAt, enteredAt));
    this.#leave(askedAt, enteredAt);
    return undefined;
  }

  #work(): Promise<unknown> | undefined {
    const { holdMs, roundTrips = 0 } = this.#order;
    if (roundTrips > 0) return this.#line?.make(roundTrips);
    return holdMs > 0 ? setTimeout(holdMs) : undefined;
  }

  #leave(askedAt: number, enteredAt: number): void {
    this.#inside--;
    if (this.#order.report === 'sections') this.#timeline.push(askedAt, enteredAt, now());
  }
}

/**
 * Runs a closed loop of this process.
 *
 * @param line where sections that make round trips make them
 */
export const loop = (client: PeerClient, order: LoopOrder, line?: RoundTrips): Promise<LoopReport> =>
  new Loop(order, line).run(client);

/** Measured: a section of a client of some size takes 50 to 90 µs of its processor after 2,000 of them, 40 after 45,000, and 30 to 35 after 90,000. */
const WARM_UP_SECTIONS = 90_000;
const WARM_UP_TASKS = 8;

/** Runs as many sections as it takes until V8 has compiled what a client does; at most for `limitMs`. */
export async function warmUp(client: PeerClient, name: string, limitMs: number): Promise<void> {
  const endAt = now() + limitMs;
  let sections = 0;
  const task = async (index: number): Promise<void> => {
    const locker = client.locker();
    while (sections < WARM_UP_SECTIONS && now() < endAt) await locker.run(`${name}:${index}`, () => sections++);
  };
  await Promise.all(Array.from({ length: WARM_UP_TASKS }, (_, index) => task(index)));
}

/** Two clients of this process take one lock from each other for `ms`, so that V8 compiles what a wait takes as well. */
export async function warmUpAgainst(
  rivals: readonly [PeerClient, PeerClient],
  name: string,
  ms: number,
): Promise<void> {
  const endAt = now() + ms;
  const task = async (client: PeerClient): Promise<void> => {
    const locker = client.locker();
    while (now() < endAt) await locker.run(name, () => undefined);
  };
  await Promise.all(rivals.map(task));
}

/** Attempts at a lock that somebody else holds, one after the other. The report counts attempts as sections. */
export async function attempts(client: PeerClient, order: LoopOrder): Promise<LoopReport> {
  const locker = client.locker();
  const endAt = order.startAt + order.durationMs;
  const latency = new Histogram();
  const failures: string[] = [];
  let served = 0;
  const resources = watchResources();
  for (let askedAt = now(); askedAt < endAt; askedAt = now()) {
    if (await locker.tryOnce(order.name)) failures.push('got a lock that somebody else holds');
    latency.record((now() - askedAt) * 1_000);
    served++;
  }
  return {
    served: [served],
    sections: served,
    failures,
    acquire: latency.buckets(),
    timeline: [],
    mostInside: 0,
    resources: resources(),
  };
}
