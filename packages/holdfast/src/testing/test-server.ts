import { direct, type Network, MemoryServer, memoryRedis, type Place } from '@holdfast/memory';
import type { Clock } from '@holdfast/watchdog';
import type { Surroundings } from '../surroundings.js';
import { processClock } from './process-clock.js';
import { turn, VirtualTime } from './virtual-time.js';

/** Options of {@link createTestServer}. */
export interface TestServerOptions {
  /**
   * Whose time it is. Default `own`: it stands still until {@link TestServer.advance}. `system`: that of the process, which fake timers may have
   * replaced: `performance` too, or nothing ends, and a process warning says so (`HOLDFAST_FAKE_TIMERS`). Install them before the server is made.
   */
  time?: 'own' | 'system' | undefined;
}

/** A server in memory. Clients that share one exclude each other, as processes on one Redis do. */
export interface TestServer {
  /**
   * Moves time on by `ms` and does what falls due on the way: leases end, renewals are sent, calls that waited give up. Resolves when all of it is
   * done, as far as it needs no more time.
   *
   * @throws Error with `time: 'system'`: advance your fake timers, or wait.
   */
  advance(ms: number): Promise<void>;
  /**
   * From now on the server cannot be reached, for `ms`: connections are cut, and new ones refused. What it knows stays. Resolves when its clients
   * have noticed; the outage ends when time has moved on.
   */
  outage(ms: number): Promise<void>;
}

/** The first moment of 2024. Any will do; it is the same in every run. */
const EPOCH_MS = 1_704_067_200_000;
const ADDRESS = { host: 'test', port: 6379 };
/** Delays of a client's own connections. Back soon: an outage is over when it is over. */
const RECONNECT_MS = 25;

/** What the clients of a server need of it. */
export class TestSite implements TestServer {
  readonly memory: MemoryServer;
  readonly #time: VirtualTime | undefined;
  readonly #clock: Clock;
  readonly #network: Network;
  #outUntil = -Infinity;
  #drawn = 0;
  #warned = false;

  constructor({ time = 'own' }: TestServerOptions) {
    if (time !== 'own' && time !== 'system') throw new TypeError(`time must be 'own' or 'system', not ${String(time)}`);
    this.#time = time === 'own' ? new VirtualTime() : undefined;
    this.#clock = this.#time ?? this.#processClock();
    this.memory = new MemoryServer({ now: () => EPOCH_MS + this.#clock.now() });
    this.#network = direct(() => (this.#clock.now() < this.#outUntil ? undefined : this.memory));
  }

  async advance(ms: number): Promise<void> {
    if (this.#time === undefined) {
      throw new Error("advance: with time: 'system' time is that of the process; advance your fake timers");
    }
    await this.#time.advance(ms);
  }

  async outage(ms: number): Promise<void> {
    if (typeof ms !== 'number') throw new TypeError(`outage: ms must be a number, not ${typeof ms}`);
    if (!(ms > 0 && Number.isFinite(ms))) throw new RangeError(`outage: it cannot last ${ms} ms`);
    this.#outUntil = Math.max(this.#outUntil, this.#clock.now() + ms);
    this.memory.hangUp();
    await this.settle();
  }

  /** Ends an outage, and lets the server's own time pass until `work` is done; in the process's time it passes by itself. */
  async finish(work: Promise<unknown>): Promise<void> {
    this.#outUntil = -Infinity;
    await this.#time?.passUntil(work);
    await work;
  }

  /** Resolves when all that is under way is done, as far as it needs no time. */
  async settle(): Promise<void> {
    if (this.#time === undefined) for (let turns = 0; turns < 5; turns++) await turn();
    else await this.#time.settle();
  }

  #processClock(): Clock {
    return processClock(() => {
      if (this.#warned) return;
      this.#warned = true;
      process.emitWarning(
        "A client of holdfast/testing with time: 'system' stands still: the fake timers leave `performance` alone, by which leases and waits end. " +
          "Fake it too (`toFake`), or let the client have its own time: leave out time: 'system', and move it by advance().",
        { type: 'HoldfastWarning', code: 'HOLDFAST_FAKE_TIMERS' },
      );
    });
  }

  /** Where a client lives. What it draws by chance is the same in every run. */
  surroundings(): Surroundings {
    const time = this.#time;
    // A clock of the process each, because its timers run in the context of whoever makes it.
    const clock = time ?? this.#processClock();
    const place: Place = { network: this.#network, timers: clock };
    const options = { ...ADDRESS, lazyConnect: true, retryStrategy: () => RECONNECT_MS, maxRetriesPerRequest: 0 };
    const client = ++this.#drawn;
    let texts = 0;
    return {
      clock,
      random: () => 0.5,
      randomText: (length) => `test-${client}-${++texts}`.padEnd(length, '-').slice(-length),
      nextTurn: (run) => (time === undefined ? void turn().then(run) : time.nextTurn(run)),
      whereabouts: () => ({ host: 'test', pid: client }),
      openRedis: () => ({
        kind: 'node',
        redis: memoryRedis(place, { ...options, enableOfflineQueue: false }),
        ownership: 'ours',
      }),
    };
  }
}

/**
 * A server for clients of {@link createTestClient} that are to share their locks.
 *
 * @throws TypeError or RangeError for options that cannot work.
 */
export function createTestServer(options: TestServerOptions = {}): TestServer {
  for (const key of Object.keys(options))
    if (key !== 'time') throw new TypeError(`createTestServer: unknown option "${key}"`);
  return new TestSite(options);
}
