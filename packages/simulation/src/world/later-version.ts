/**
 * Processes of a later version, as far as others notice: the entries of their waiters say more behind the words that are known, their locks have another
 * field, and messages say more or have a higher number in front (ADR 9, ADR 20).
 *
 * They run the client as it is, and the words are added on the server and on the way, at the moment at which they would have been written: nobody sees
 * anything in between.
 */

import { lockKeys } from '@holdfast/core';
import type { MemoryServer } from '@holdfast/memory';
import { clientOf } from '../judges/requests.js';
import type { LaterPlan } from '../plan/scenario.js';
import type { Chance } from './chance.js';
import type { World } from './world.js';

/** Behind an entry. */
const ENTRY_WORDS = ['shared', 'shared 3 -', '17 1700000000000', '-', 'permits=3;token=no'];
/** Behind a message. */
const MESSAGE_WORDS = ['later', 'shade 7', 'permits=3 -', '- - -'];
const KNOWN = /^1 (?:grant|contended|lost) /;

/** See the module comment. */
export class LaterVersion {
  readonly #world: World;
  readonly #keys: ReturnType<typeof lockKeys>;
  readonly #newer: ReadonlySet<number>;
  readonly #chance: Chance;
  /** By the ids of clients, of all lives so far. */
  readonly #isNewer = new Map<string, boolean>();
  #lives = 0;

  constructor({ name, newer }: LaterPlan, world: World) {
    this.#world = world;
    this.#keys = lockKeys(name);
    this.#newer = new Set(newer);
    this.#chance = world.chance.of('later version');
    world.network.onTheWay = (message) => this.#saysMore(message);
  }

  executed(server: MemoryServer, request: readonly string[]): void {
    const { lock, fresh } = this.#keys;
    if (!request.includes(lock)) return;
    const keys = server.keysOf();
    const entries = keys.find(fresh)?.value;
    if (request.includes(fresh) && entries instanceof Map) {
      for (const [tenure, entry] of entries) {
        if (!/^\d+ \d+$/.test(entry) || !this.#isOfNewer(tenure)) continue;
        entries.set(tenure, `${entry} ${this.#chance.pick(ENTRY_WORDS)}`);
        keys.written(fresh, entries.size);
      }
    }
    const owned = keys.find(lock)?.value;
    if (!(owned instanceof Map) || !owned.has('seq') || owned.has('since')) return;
    if (![...owned.keys()].some((field) => field.includes(':') && this.#isOfNewer(field))) return;
    owned.set('since', '7');
    keys.written(lock, owned.size);
  }

  #saysMore(message: string): string {
    if (!KNOWN.test(message) || this.#chance.happens(0.3)) return message;
    const words = this.#chance.pick(MESSAGE_WORDS);
    if (message.startsWith('1 contended ') && this.#chance.happens(0.2)) return `2${message.slice(1)} ${words}`;
    return `${message} ${words}`;
  }

  #isOfNewer(tenure: string): boolean {
    const { lives } = this.#world;
    for (; this.#lives < lives.length; this.#lives++) {
      const life = lives[this.#lives];
      if (life !== undefined) this.#isNewer.set(life.client.clientId, this.#newer.has(life.plan.number));
    }
    return this.#isNewer.get(clientOf(tenure)) === true;
  }
}
