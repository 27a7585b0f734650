/** A process of the soak. Bundled before it is started, as what users install is: see `scripts/soak.mjs`. */
import { PendingTimers, seededRandom, serveWorker } from '@holdfast/testkit';
import { createLockClient, type LockClient } from 'holdfast';
import { nowMicros } from '../../history/clock.js';
import { liveHeapBytes, liveObjects } from './live-heap.js';
import { LoopWatch } from './loop-watch.js';
import type { Depth, Farewell, Glance, Loss, Order, Sample } from './messages.js';
import { lockOf } from '../lock-names.js';
import { Rotation } from './rotation.js';

/** How many different texts of errors are kept. */
const MOST_ERRORS = 50;

/** Kinds of resources that come and go: timers are counted apart, and what runs in the next turn of the loop is gone after it. */
const passing = new Set(['Timeout', 'Immediate']);

const timers = new PendingTimers();
const loop = new LoopWatch();

class Work {
  readonly #order: Order;
  readonly #client: LockClient;
  readonly #rotation: Rotation;
  readonly #errors = new Map<string, number>();
  #losses: Loss[] = [];
  #suspicions = 0;

  constructor(order: Order) {
    this.#order = order;
    const { url, connectionName, processes, turnMs, seed } = order;
    const { hostname, port } = new URL(url);
    this.#client = createLockClient({ redis: { host: hostname, port: Number(port), connectionName } });
    this.#client.on('lost', ({ name, error }) => {
      const heldMs = this.#rotation.onLost(lockOf(name));
      this.#losses.push({ lock: name, reason: error.reason, atUs: nowMicros(), heldMs, stalledMs: loop.recent() });
    });
    this.#client.on('suspect', () => this.#suspicions++);
    this.#client.on('error', (error) => {
      const text = String(error).replaceAll(/\d+/g, '#');
      const seen = this.#errors.get(text);
      if (seen !== undefined || this.#errors.size < MOST_ERRORS) this.#errors.set(text, (seen ?? 0) + 1);
    });
    const random = seededRandom(seed);
    this.#rotation = new Rotation(this.#client, { processes, turnMs, random: () => random.next() });
  }

  async takeFirst(): Promise<void> {
    await this.#rotation.takeFirst(this.#order.share.holdsFirst);
  }

  joinLines(): void {
    this.#rotation.joinLines(this.#order.share.waitsFirst);
  }

  start(): void {
    this.#rotation.start();
  }

  pause(): void {
    this.#rotation.pause();
  }

  glance(): Glance {
    const { user, system } = process.cpuUsage();
    const { held, waiting, leaving } = this.#rotation;
    return {
      held,
      waiting,
      leaving,
      turns: this.#rotation.takeRecords(),
      losses: this.#takeLosses(),
      failures: this.#rotation.takeFailures(),
      rssBytes: process.memoryUsage.rss(),
      cpuUs: user + system,
      stalledMs: loop.take(),
    };
  }

  async sample(depth: Depth): Promise<Sample> {
    const { renewals, handoffs } = this.#client.stats();
    const { renewed, held, lost, unknown } = renewals;
    return {
      heapBytes: await liveHeapBytes(),
      ...(depth === 'objects' ? { objects: liveObjects() } : {}),
      rssBytes: process.memoryUsage.rss(),
      timers: timers.count,
      handles: countsOf(process.getActiveResourcesInfo().filter((kind) => !passing.has(kind))),
      renewals: { renewed, held, lost, unknown },
      grantedByMessage: handoffs.granted,
      suspicions: this.#suspicions,
      errors: Object.fromEntries(this.#errors),
    };
  }

  giveUp(): Promise<void> {
    return this.#rotation.giveUp();
  }

  async end(): Promise<Farewell> {
    await this.#rotation.end();
    await this.#client.close();
    loop.stop();
    const turns = this.#rotation.takeRecords();
    return { turns, failures: this.#rotation.takeFailures(), losses: this.#takeLosses(), timers: timers.count };
  }

  #takeLosses(): Loss[] {
    const losses = this.#losses;
    this.#losses = [];
    return losses;
  }
}

function countsOf(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

let present: Work | undefined;

function work(): Work {
  if (present === undefined) throw new Error('open() comes first');
  return present;
}

export const methods = {
  open: (order: Order): void => {
    loop.start();
    present = new Work(order);
  },
  takeFirst: () => work().takeFirst(),
  joinLines: () => work().joinLines(),
  start: () => work().start(),
  pause: () => work().pause(),
  glance: () => work().glance(),
  sample: (depth: Depth) => work().sample(depth),
  giveUp: () => work().giveUp(),
  end: () => work().end(),
};

serveWorker({ methods });
