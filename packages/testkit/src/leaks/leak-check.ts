/**
 * What a test leaves behind, found by comparing before and after.
 *
 * One check belongs to one test: `begin`, the test, `end`. Closing takes time (a socket, a DEL on its way), so `end`
 * looks again until all is as before, or until the grace is over; what is left then is a leak. The cleanups of the
 * test run first, the last registered first, and all of them, whatever one of them throws. One that hangs is not waited for:
 * another may be what keeps this test out of the next file, which the same process runs.
 */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { RedisServer } from '../redis/server.js';
import { WaitUntilTimeoutError, waitUntil } from '../wait-until.js';
import { ComplaintLog, activeResources, addedResources } from './process-leaks.js';
import type { Resources } from './process-leaks.js';
import { addedOnServer, serverState } from './server-leaks.js';
import type { ServerState } from './server-leaks.js';
import { TimerWatch } from './timer-watch.js';

/** Undoes something a test did. */
export type Cleanup = () => unknown;

/** A test left something behind, or its process complained. */
export class LeakError extends Error {
  override readonly name = 'LeakError';

  /** Each leak in a sentence. */
  constructor(readonly leaks: readonly string[]) {
    super(`the test left behind:\n${leaks.map((leak) => `  - ${leak}`).join('\n')}`);
  }
}

/** How long things may take to close. */
export interface LeakCheckOptions {
  /** Default 2 000 ms. */
  graceMs?: number;
}

/** Limits for what hangs. To close a client for which a thousand calls wait takes ten seconds on a busy machine. */
const CLEANUP_LIMIT_MS = 20_000;
const LOOK_LIMIT_MS = 10_000;

export class LeakCheck {
  readonly #graceMs: number;
  readonly #timers = new TimerWatch();
  readonly #complaints = new ComplaintLog();
  readonly #cleanups: Cleanup[] = [];
  readonly #servers = new Set<RedisServer>();
  #resources: Resources = new Map();
  #serverStates = new Map<RedisServer, ServerState>();

  constructor({ graceMs = 2_000 }: LeakCheckOptions = {}) {
    this.#graceMs = graceMs;
  }

  /**
   * Also looks at this server from the next `begin` on: clients, subscriptions, keys without expiry. A shared server is
   * passed over: what is found there may be somebody else's.
   */
  track(server: RedisServer): void {
    if (!server.isShared) this.#servers.add(server);
  }

  /** No longer looks at this server. */
  untrack(server: RedisServer): void {
    this.#servers.delete(server);
  }

  /** Runs `undo` when the test has ended, before the check. */
  cleanup(undo: Cleanup): void {
    this.#cleanups.push(undo);
  }

  /** Remembers what there is. */
  async begin(): Promise<void> {
    const states = [...this.#servers].map(
      async (server): Promise<[RedisServer, ServerState]> => [server, await serverState(await server.admin())],
    );
    this.#serverStates = new Map(await Promise.all(states));
    this.#resources = activeResources();
    this.#complaints.open();
    this.#timers.start();
  }

  /**
   * Runs the cleanups and compares.
   *
   * @throws LeakError with all leaks; AggregateError when cleanups failed as well.
   */
  async end(): Promise<void> {
    const errors = await this.#runCleanups();
    const leaks = await this.#timers.aside(() => this.#leaksAfterGrace());
    this.#timers.stop();
    const complaints = this.#complaints.close();
    if (leaks.length + complaints.length > 0) errors.push(new LeakError([...leaks, ...complaints]));
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
  }

  async #runCleanups(): Promise<unknown[]> {
    const errors: unknown[] = [];
    for (const undo of this.#cleanups.splice(0).toReversed()) {
      try {
        await inTime(undo, CLEANUP_LIMIT_MS, 'a cleanup of the test');
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }

  async #leaksAfterGrace(): Promise<string[]> {
    let leaks: string[] = [];
    let hangs = false;
    const look = async (): Promise<boolean> => {
      // A process that stood still until the grace was over closes now what fell due meanwhile.
      await turn();
      leaks = await inTime(() => this.#leaksNow(), LOOK_LIMIT_MS, 'a look at what the test left').catch(
        (error: Error) => {
          hangs = true;
          return [`${error.message}: does a server of this test hang?`];
        },
      );
      return leaks.length === 0;
    };
    // However slow the machine is, it is looked once before the grace begins, and once when it is over, unless that would hang once more.
    if (await look()) return [];
    await waitUntil(look, { what: 'everything to be closed', timeoutMs: this.#graceMs }).catch((error: unknown) => {
      if (!(error instanceof WaitUntilTimeoutError)) throw error;
      return hangs || look();
    });
    return leaks;
  }

  async #leaksNow(): Promise<string[]> {
    const ofProcess = [...this.#timers.pending(), ...addedResources(this.#resources, activeResources())];
    const ofServers = await Promise.all(
      [...this.#serverStates].map(async ([server, before]) =>
        addedOnServer(before, await serverState(await server.admin())),
      ),
    );
    return [...ofProcess, ...ofServers.flat()];
  }
}

async function inTime<T>(work: () => T | Promise<T>, limitMs: number, what: string): Promise<T> {
  const limit = new AbortController();
  const late = pause(limitMs, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`${what} was not done after ${limitMs} ms`);
  });
  late.catch(() => undefined); // done in time, or told by the race
  try {
    return await Promise.race([work(), late]);
  } finally {
    limit.abort();
  }
}
