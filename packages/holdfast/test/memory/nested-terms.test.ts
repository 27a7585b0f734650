/**
 * Holds inside each other, with any terms, in any order: the lock is theirs until the last of them ends, and no longer. Time is driven; each seed is a
 * story of its own.
 */
import { describe, expect, it } from '@jest/globals';
import { seededRandom, type SeededRandom } from '@holdfast/testkit';
import type { AcquireOptions, Hold, RLock } from 'holdfast';
import type { TestLockClient } from 'holdfast/testing';
import { useTestClients } from '../support/test-clients.js';

const process = useTestClients();

const WATCHDOG_MS = 900;
/** Longer than the drift that a client takes off a lease, and than the steps of its renewals. */
const GRACE_MS = 60;

interface Known {
  readonly hold: Hold;
  /** By its own terms. */
  readonly ends: { readonly isFixed: boolean; readonly at: number };
  /** By what was promised later as well. */
  lastsUntil: number;
}

const kinds: Record<string, (client: TestLockClient) => RLock> = {
  plain: (client) => client.getLock('order'),
  fenced: (client) => client.getFencedLock('order'),
  fair: (client) => client.getFairLock('order'),
  writer: (client) => client.getReadWriteLock('order').writeLock(),
  reader: (client) => client.getReadWriteLock('order').readLock(),
  multi: (client) => client.getMultiLock(['order', 'stock'].map((name) => client.getLock(name))),
};

/** What the calls of one story have promised. */
class Story {
  readonly #client: TestLockClient;
  readonly #lock: RLock;
  readonly #random: SeededRandom;
  #open: Known[] = [];
  #now = 0;
  /** What Redis has been asked for ends then: a lease is never shortened. */
  #leasedUntil = 0;
  readonly #told: string[] = [];

  constructor(client: TestLockClient, lock: RLock, random: SeededRandom) {
    this.#client = client;
    this.#lock = lock;
    this.#random = random;
  }

  async run(): Promise<void> {
    for (let step = 0; step < 25; step++) {
      const roll = this.#random.next();
      if (this.#open.length === 0 || (roll < 0.3 && this.#open.length < 5)) await this.#acquire();
      else if (roll < 0.45) await this.#release();
      else if (roll < 0.55) await this.#extend();
      else await this.#pass();
      this.#check();
    }
    while (this.#open.length > 0) {
      await this.#release();
      this.#check();
    }
  }

  async #acquire(): Promise<void> {
    const terms = this.#drawTerms();
    const around = this.#open.at(-1)?.hold;
    const call = () => this.#lock.acquire(terms);
    const hold = await (around === undefined ? call() : around.run(call));
    const { leaseMs, maxHoldMs = Number.POSITIVE_INFINITY } = terms;
    const at = this.#now + (leaseMs ?? maxHoldMs);
    this.#open.push({ hold, ends: { isFixed: leaseMs !== undefined, at }, lastsUntil: at });
    this.#leasedUntil = Math.max(this.#leasedUntil, this.#now + (leaseMs ?? WATCHDOG_MS));
    this.#told.push(`${this.#now}: acquires ${JSON.stringify(terms)}`);
  }

  async #release(): Promise<void> {
    const at = this.#below(this.#open.length);
    const [known] = this.#open.splice(at, 1);
    this.#told.push(`${this.#now}: gives back ${at}`);
    if (known?.ends.isFixed === false) this.#leasedUntil = Math.max(this.#leasedUntil, this.#now + WATCHDOG_MS);
    await known?.hold.release();
  }

  async #extend(): Promise<void> {
    const at = this.#below(this.#open.length);
    const known = this.#open[at];
    const ms = 100 + this.#below(3_000);
    if (known === undefined || (!known.ends.isFixed && this.#now + ms > known.ends.at)) return;
    this.#told.push(`${this.#now}: extends ${at} by ${ms}`);
    await known.hold.extend(ms);
    for (const each of this.#open) each.lastsUntil = Math.max(each.lastsUntil, this.#now + ms);
    this.#leasedUntil = Math.max(this.#leasedUntil, this.#now + ms);
  }

  async #pass(): Promise<void> {
    const ms = 1 + this.#below(1_500);
    await this.#client.advance(ms);
    this.#now += ms;
  }

  #check(): void {
    if (this.#open.length === 0) {
      this.#leasedUntil = 0;
      return;
    }
    const last = Math.max(...this.#open.map(({ lastsUntil }) => lastsUntil));
    const isFixed = this.#open.some(({ ends }) => ends.isFixed);
    const states = this.#open.map(({ hold }) => hold.state);
    if (this.#now < last - GRACE_MS) this.#expect(states, 'held');
    const isOver = this.#now > (isFixed ? Math.max(last, this.#leasedUntil) : last);
    if (!isOver && !states.includes('lost')) return;
    this.#expect(states, 'lost');
    this.#open = [];
    this.#leasedUntil = 0;
  }

  #expect(states: readonly string[], state: string): void {
    const story = [...this.#told, `${this.#now}: open, first to last`].join('\n');
    expect({ story, states }).toEqual({ story, states: states.map(() => state) });
  }

  #drawTerms(): AcquireOptions {
    const ms = 300 + this.#below(4_000);
    const roll = this.#random.next();
    if (roll < 0.4) return { leaseMs: ms };
    if (roll < 0.8) return { maxHoldMs: ms };
    return {};
  }

  #below(limit: number): number {
    return this.#random.below(limit);
  }
}

describe.each(Object.entries(kinds))('%s', (_, lockOf) => {
  it('is theirs until the last of the holds inside each other ends, and no longer', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const client = process({ watchdogTimeoutMs: WATCHDOG_MS });
      await new Story(client, lockOf(client), seededRandom(seed)).run();
      await client.close();
    }
  });
});
