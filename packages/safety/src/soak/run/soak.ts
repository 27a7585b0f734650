/**
 * One run: set up, a quiet look, faults for as long as was asked for, quiet again, and the end of everything.
 *
 *     hold -> wait -> quiet before -> turns and faults, looked at all the while -> healed, quiet after -> all given back -> processes gone
 *
 * The two quiet looks see the same population, so what differs between them is what the run has left.
 */

import { type RedisServer, type TestWorker, waitUntil } from '@holdfast/testkit';
import type { Redis } from 'ioredis';
import { closePools, type Pool } from '../../campaign/pools.js';
import { nowMicros } from '../../history/clock.js';
import { FaultSchedule } from '../faults/schedule.js';
import { isPool, lockName } from '../lock-names.js';
import type { Plan } from '../plan.js';
import type { Moment } from '../result.js';
import type { Farewell } from '../worker/messages.js';
import { Observer, type Overview } from './observer.js';
import { type ServerSample, serverSample } from './server-state.js';
import { type Member, startTeam, stopTeam } from './team.js';

const LOOK_EVERY_MS = 10_000;
/** A process that is overloaded may take its time, but nothing here takes minutes. */
const PATIENCE_MS = 180_000;
const EXIT_MS = 15_000;

/** How a process ended; undefined: it did not, by itself. */
export type Ending = Awaited<TestWorker['exited']> | undefined;

/** What a run has seen. */
export interface Seen {
  readonly setUpSeconds: { readonly holds: number; readonly waiters: number };
  readonly quiet: { readonly before: Moment; readonly after: Moment };
  /** Before the quiet look, after it, and at the end of the faults. */
  readonly overviews: { readonly settled: Overview; readonly quiet: Overview; readonly last: Overview };
  readonly moments: readonly Moment[];
  /** After the last fault every lock was held, and every other call in its line. */
  readonly cameToRest: boolean;
  /** When turns began to end, in microseconds of the machine's monotonic clock. */
  readonly startedAt: number;
  /** The longest time any event loop stood still under the faults. */
  readonly longestStallMs: number;
  readonly observer: Observer;
  readonly schedule: FaultSchedule;
  readonly farewells: readonly Farewell[];
  readonly endings: readonly Ending[];
  /** Semaphores that do not have their permit when the processes have gone. */
  readonly unreturned: readonly string[];
  /** When the processes had gone. */
  readonly left: ServerSample;
}

/** Told while it goes on. */
export interface SoakListener {
  onStep(step: string): void;
  onLook(now: Overview, before: Overview, observer: Observer, schedule: FaultSchedule): void;
}

const poolsOf = ({ locks }: Plan): Pool[] =>
  Array.from({ length: locks }, (_, lock) => lock)
    .filter(isPool)
    .map((lock) => ({ name: lockName(lock), inAll: 1 }));

/** See the module comment. */
export async function soak(server: RedisServer, plan: Plan, listener: SoakListener): Promise<Seen> {
  const team = await startTeam(server, plan);
  try {
    return await new Run(team, await server.admin(), plan, listener).run();
  } finally {
    await stopTeam(team);
  }
}

class Run {
  readonly #team: readonly Member[];
  readonly #admin: Redis;
  readonly #plan: Plan;
  readonly #listener: SoakListener;
  readonly #observer: Observer;
  readonly #schedule: FaultSchedule;
  #last: Overview | undefined;

  constructor(team: readonly Member[], admin: Redis, plan: Plan, listener: SoakListener) {
    this.#team = team;
    this.#admin = admin;
    this.#plan = plan;
    this.#listener = listener;
    this.#observer = new Observer(team, admin);
    this.#schedule = new FaultSchedule(team, admin, plan.seed);
  }

  async run(): Promise<Seen> {
    const { minutes, sampleEveryMs, turnMs } = this.#plan;
    const setUpSeconds = await this.#setUp();
    const settled = await this.#look();
    await pause(Math.min(turnMs, LOOK_EVERY_MS));
    const quiet = await this.#look();
    const before = await this.#observer.quietMoment();
    this.#listener.onStep(`faults for ${minutes} minutes`);
    await this.#observer.forgetStalls();
    const startedAt = nowMicros();
    this.#all('start');
    this.#schedule.start();
    const { moments, last } = await this.#watch(minutes * 60_000, sampleEveryMs);
    await this.#schedule.stop();
    this.#all('pause');
    this.#listener.onStep('healed');
    const cameToRest = await this.#atRest().then(
      () => true,
      () => false,
    );
    const longestStallMs = this.#observer.longestStallMs;
    await this.#look();
    const after = await this.#observer.quietMoment();
    this.#listener.onStep('everything is given back');
    await Promise.all(this.#team.map(({ worker }) => worker.call('giveUp')));
    const farewells = await Promise.all(this.#team.map(({ worker }) => worker.call('end')));
    for (const [process, farewell] of farewells.entries()) this.#observer.note(process, farewell);
    const endings = await Promise.all(this.#team.map(({ worker }) => within(EXIT_MS, worker.finish())));
    const unreturned = await closePools(this.#admin, poolsOf(this.#plan));
    return {
      setUpSeconds,
      cameToRest,
      quiet: { before, after },
      overviews: { settled, quiet, last },
      moments,
      startedAt,
      longestStallMs,
      observer: this.#observer,
      schedule: this.#schedule,
      farewells,
      endings,
      unreturned,
      left: await serverSample(this.#admin),
    };
  }

  async #setUp(): Promise<Seen['setUpSeconds']> {
    const startedAt = performance.now();
    this.#listener.onStep(`${this.#plan.locks} locks are taken`);
    await Promise.all(this.#team.map(({ worker }) => worker.call('takeFirst')));
    const heldAt = performance.now();
    this.#listener.onStep('the waiters come');
    this.#all('joinLines');
    await this.#atRest();
    return { holds: (heldAt - startedAt) / 1_000, waiters: (performance.now() - heldAt) / 1_000 };
  }

  /** Every lock is held, and every other call stands in its line. */
  async #atRest(): Promise<void> {
    const { locks } = this.#plan;
    let lookAt = performance.now() + LOOK_EVERY_MS;
    await waitUntil(
      async () => {
        const isLookDue = performance.now() >= lookAt;
        if (isLookDue) lookAt += LOOK_EVERY_MS;
        const { held, leaving } = isLookDue ? await this.#look() : await this.#observer.overview();
        return held === locks && leaving === 0 && (await this.#inLine()) === locks;
      },
      { what: 'every lock is held and every waiter in line', timeoutMs: PATIENCE_MS, everyMs: 500 },
    );
  }

  /** Waiters, as the server knows them. */
  async #inLine(): Promise<number> {
    let waiters = 0;
    let cursor = '0';
    do {
      const [next, found] = await this.#admin.scan(cursor, 'MATCH', 'holdfast_*', 'COUNT', 1_000);
      cursor = next;
      const keys = found.filter((key) => /^holdfast_(?:tagged_)?(?:queue|rw_writers|sem_queue):/.test(key));
      const pipeline = this.#admin.pipeline();
      for (const key of keys) pipeline.zcard(key);
      for (const [, count] of (await pipeline.exec()) ?? []) waiters += Number(count);
    } while (cursor !== '0');
    return waiters;
  }

  async #watch(forMs: number, sampleEveryMs: number): Promise<{ moments: Moment[]; last: Overview }> {
    const moments: Moment[] = [];
    const until = performance.now() + forMs;
    let sampleAt = performance.now();
    let lookAt = performance.now() + Math.min(LOOK_EVERY_MS, forMs / 2);
    let last = await this.#look();
    while (performance.now() < until) {
      if (performance.now() >= sampleAt) {
        sampleAt += sampleEveryMs;
        moments.push(await this.#observer.moment('bytes'));
      }
      if (performance.now() >= lookAt) {
        lookAt += LOOK_EVERY_MS;
        last = await this.#look();
      }
      await pause(Math.min(sampleAt, lookAt, until) - performance.now());
    }
    return { moments, last };
  }

  async #look(): Promise<Overview> {
    const now = await this.#observer.overview();
    this.#listener.onLook(now, this.#last ?? now, this.#observer, this.#schedule);
    this.#last = now;
    return now;
  }

  #all(method: 'joinLines' | 'start' | 'pause'): void {
    for (const { worker } of this.#team) void worker.call(method);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, pause(ms).then(() => undefined)]);
}
