/** Lets nemeses loose for a while, and brings all of them to an end. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisServer, seededRandom } from '@holdfast/testkit';
import { type Arena, type Deed, type Nemesis, type Path, within } from '../faults/nemesis.js';
import { restoreServers, type Site } from '../site/site.js';
import type { Times } from '../worker/plan.js';
import type { Operator } from './operator.js';
import type { Seat } from './seat.js';

/** What nemeses find. */
export interface Ground {
  readonly site: Site;
  readonly paths: readonly Path[];
  readonly seats: readonly Seat[];
  readonly locks: readonly string[];
  readonly times: Times;
  readonly operator: Operator;
  /** 1: nemeses rest as they like; a half: for twice as long. */
  readonly intensity: number;
}

/** Who is master is asked again after this. */
const masterMs = 2_000;

/** So long after an attempt to restore servers that are not well yet. */
const againMs = 200;

/** Changes of masters take longest. */
const endLimitMs = 90_000;

/** For one stream of choices per nemesis: their order in time does not change what each does. */
const hashOf = (text: string): number => Buffer.from(text).reduce((hash, byte) => (Math.imul(hash, 31) + byte) | 0, 7);

/** What one nemesis has begun and not ended. */
class Lasting {
  readonly #deeds = new Map<string, Deed>();

  get deeds(): readonly Deed[] {
    return [...this.#deeds.values()];
  }

  note(deed: Deed): void {
    const { code, state, target, lock } = deed;
    const name = JSON.stringify([code, target, lock]);
    if (state === 'on') this.#deeds.set(name, deed);
    else this.#deeds.delete(name);
  }
}

export class Harassment {
  /** Faults by kind. */
  readonly counts: Record<string, number> = {};
  /** Strikes that came to nothing, for example because the server was down. */
  missed = 0;
  readonly #ground: Ground;
  readonly #over = new AbortController();
  readonly #strikes: Promise<void>[];
  readonly #striking = new Set<string>();
  #masters: { readonly servers: readonly RedisServer[]; readonly at: number } | undefined;

  constructor(ground: Ground, nemeses: readonly Nemesis[], seed: number) {
    this.#ground = ground;
    setMaxListeners(0, this.#over.signal); // every nemesis waits for it
    this.#strikes = nemeses.map((nemesis) => this.#loop(nemesis, seed));
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /**
   * Resolves when everything that nemeses broke is whole again.
   *
   * @throws Error when that does not come to pass: then the servers are beyond help.
   */
  async end(): Promise<void> {
    this.#over.abort();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`faults that do not end: ${[...this.#striking].join()}`)), endLimitMs);
    });
    await Promise.race([Promise.all(this.#strikes), limit]).finally(() => clearTimeout(timer));
  }

  async #loop(nemesis: Nemesis, seed: number): Promise<void> {
    const lasting = new Lasting();
    const arena = this.#arenaFor(nemesis, seed, lasting);
    for (;;) {
      await arena.pause(within(arena.random, nemesis.rest) / this.#ground.intensity);
      if (arena.over) return;
      this.#striking.add(nemesis.name);
      try {
        await nemesis.strike(arena);
      } catch {
        this.missed++;
        await this.#endOf(lasting, arena);
      }
      this.#striking.delete(nemesis.name);
    }
  }

  /**
   * A strike that was cut short has left on what it could not take back, for as long as the epoch lasts, and a judge excuses what a fault without an
   * end may have done: it ends when the servers are well again.
   */
  async #endOf(lasting: Lasting, { note }: Arena): Promise<void> {
    while (lasting.deeds.length > 0) {
      try {
        await restoreServers(this.#ground.site);
        for (const deed of lasting.deeds) note({ ...deed, state: 'off', count: 0 });
      } catch {
        // Another strike has hit them meanwhile.
        await sleep(againMs);
      }
    }
  }

  #arenaFor(nemesis: Nemesis, seed: number, lasting: Lasting): Arena {
    const { site, paths, seats, locks, times, operator } = this.#ground;
    const random = seededRandom(seed ^ hashOf(nemesis.name));
    const { signal } = this.#over;
    return {
      site,
      paths,
      locks,
      times,
      random,
      victims: () => seats,
      pause: (ms) => sleep(ms, undefined, { signal }).catch(() => undefined),
      get over() {
        return signal.aborted;
      },
      anyMaster: async () => random.pick(await this.#knownMasters()),
      removeLock: async (lock, how) => {
        await operator.remove(lock, how);
        this.#count({ code: how, state: 'once' });
      },
      note: (deed) => {
        this.#count(deed);
        lasting.note(deed);
        const { code, state, target, lock } = deed;
        operator.note({
          code,
          state,
          ...(target === undefined ? {} : { target }),
          ...(lock === undefined ? {} : { lock }),
        });
      },
    };
  }

  #count({ code, state, count = state === 'off' ? 0 : 1 }: Deed): void {
    this.counts[code] = (this.counts[code] ?? 0) + count;
  }

  async #knownMasters(): Promise<readonly RedisServer[]> {
    const known = this.#masters;
    if (known !== undefined && performance.now() < known.at + masterMs) return known.servers;
    const servers = await this.#ground.site.masters();
    this.#masters = { servers, at: performance.now() };
    return servers;
  }
}
