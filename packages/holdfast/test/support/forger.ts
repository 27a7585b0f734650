import { type RedisKit, waitUntil } from '@holdfast/testkit';
import * as fc from 'fast-check';
import { inboxChannel } from '@holdfast/core';

/**
 * Somebody who may publish and subscribe on the same Redis, and look at the locks, but not into the queues: where a tenure waits is the one
 * place in which its id stands before it has been granted the lock.
 */
export class Forger {
  readonly #kit: RedisKit;
  readonly #names: readonly string[];
  readonly #clientIds: readonly string[];
  /** Real messages, as they came. */
  readonly #heard: string[] = [];
  /** Ids of tenures: of owners, and of who was told something. */
  readonly #ids = new Set<string>();
  published = 0;

  constructor(kit: RedisKit, names: readonly string[], clientIds: readonly string[]) {
    this.#kit = kit;
    this.#names = names;
    this.#clientIds = clientIds;
  }

  /** Listens to every inbox. */
  async listen(): Promise<void> {
    const ear = this.#kit.admin.duplicate();
    this.#kit.cleanup(() => ear.disconnect());
    ear.on('pmessage', (_: string, __: string, message: string) => {
      if (this.#heard.length < 1_000) this.#heard.push(message);
      const [, , id] = message.split(' ');
      if (id !== undefined) this.#ids.add(id);
    });
    await ear.psubscribe(inboxChannel('*'));
  }

  /** Publishes the forgeries one after the other, over and over, while `work` is under way. */
  async during(work: Promise<unknown>, forgeries: readonly Forgery[]): Promise<void> {
    let over = false;
    const end = work.finally(() => {
      over = true;
    });
    end.catch(() => undefined);
    for (let turn = 0; !over; turn++) {
      await this.#look();
      const forgery = forgeries[turn % forgeries.length] as Forgery;
      await this.publish(this.#make(forgery, turn));
    }
    await waitUntil(() => over, { what: 'the work' });
  }

  async publish(messages: readonly (readonly [clientId: string, message: string])[]): Promise<void> {
    const pipeline = this.#kit.admin.pipeline();
    for (const [clientId, message] of messages) pipeline.publish(inboxChannel(clientId), message);
    await pipeline.exec();
    this.published += messages.length;
  }

  async #look(): Promise<void> {
    for (const name of this.#names) {
      for (const field of await this.#kit.admin.hkeys(name)) if (field.includes(':')) this.#ids.add(field);
    }
  }

  #make(forgery: Forgery, turn: number): [string, string][] {
    return this.#clientIds.map((clientId) => [clientId, this.#message(forgery, clientId, turn)]);
  }

  #message(forgery: Forgery, clientId: string, turn: number): string {
    const ids = [...this.#ids].filter((id) => id.includes(`${clientId}:`));
    const known = ids[forgery.which % Math.max(1, ids.length)];
    const id = forgery.of === 'known' && known !== undefined ? known : guessed(forgery, clientId, turn);
    const now = Date.now();
    switch (forgery.kind) {
      case 'grant':
        return `1 grant ${id} ${now + forgery.lastsMs} ${now} ${forgery.others} -`;
      case 'contended':
        return `1 contended ${id}`;
      case 'lost':
        return `1 lost ${id} force-unlocked`;
      case 'newer':
        return `2 anything ${id} at all`;
      case 'replay':
        return this.#heard[forgery.which % Math.max(1, this.#heard.length)] ?? '1 grant';
      case 'replay-longer':
        return this.#longer(forgery, now);
      case 'garbage':
        return forgery.text;
    }
  }

  /** A real grant with other times. */
  #longer({ which, lastsMs }: Forgery, now: number): string {
    const grants = this.#heard.filter((message) => message.startsWith('1 grant '));
    const words = grants[which % Math.max(1, grants.length)]?.split(' ') ?? [];
    return [...words.slice(0, 3), now + lastsMs, now, 0, '-'].join(' ');
  }
}

/** What a forger says. */
export interface Forgery {
  readonly kind: 'grant' | 'contended' | 'lost' | 'newer' | 'replay' | 'replay-longer' | 'garbage';
  readonly of: 'known' | 'guessed';
  readonly which: number;
  /** How long a grant claims to last: negative, as a claim does, or for years. */
  readonly lastsMs: number;
  readonly others: number;
  readonly text: string;
}

/** The number of a tenure can be guessed, the rest of its id not. */
function guessed({ which }: Forgery, clientId: string, turn: number): string {
  const n = (which + turn) % 200;
  return [`${clientId}:${n}`, `${clientId}:${n}.aaaaaaaaaa`, `${clientId}:${n}.`][which % 3] as string;
}

export const forgeries = fc.array(
  fc.record<Forgery>({
    kind: fc.constantFrom('grant', 'contended', 'lost', 'newer', 'replay', 'replay-longer', 'garbage'),
    of: fc.constantFrom('known', 'guessed'),
    which: fc.nat(1_000),
    lastsMs: fc.oneof(fc.integer({ min: -5_000, max: 3_000 }), fc.constantFrom(2 ** 31, 2 ** 45, 2 ** 52)),
    others: fc.oneof(fc.nat(5), fc.constantFrom(2 ** 31, 2 ** 52)),
    text: fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constant('1 lost'),
      fc.constant('x'.repeat(9_000)),
    ),
  }),
  { minLength: 1, maxLength: 12 },
);
