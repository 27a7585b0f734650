/**
 * The ledger of a semaphore: whatever its scripts are sent, in whatever order and however often, no permit is made and none is lost.
 *
 * Many tenures of three processes ask, are renewed, give back in parts and as a whole, and give up; copies of old commands arrive at any time, leases
 * end, processes die, Redisson takes and gives back by the counter alone, or has permits for some time, and the semaphore is made larger and smaller.
 */
import { type Command, permits, semaphoreKeys } from '@holdfast/core';
import { MemoryServer } from '@holdfast/memory';
import { proofRuns } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';

const keys = semaphoreKeys('pool');
const TOTAL = 5;
const CLAIM_MS = 3_000;
const LEASE_MS = 10_000;
const FRESH_MS = 8_000;
const PROCESSES = ['a', 'b', 'c'] as const;
const granting = { claimMs: CLAIM_MS, trust: true };
/** Longer than any story. */
const tombstoneMs = 10_000_000;

type Happening =
  | {
      readonly kind: 'ask';
      readonly process: number;
      readonly wanted: number;
      readonly queues: boolean;
      readonly ends: boolean;
    }
  | { readonly kind: 'again' | 'release' | 'renew' | 'shrink' | 'copy'; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'die'; readonly process: number }
  | { readonly kind: 'java'; readonly takes: boolean }
  | { readonly kind: 'expirable' | 'add'; readonly permits: number };

const which = fc.nat(50);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      process: fc.nat(PROCESSES.length - 1),
      wanted: fc.constantFrom(1, 1, 2, 3, 5),
      queues: fc.constantFrom(true, true, false),
      ends: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constantFrom('again', 'release', 'release', 'renew', 'shrink', 'copy', 'copy'),
      which,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(500, 3_000, 9_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), process: fc.nat(PROCESSES.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('java' as const), takes: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('expirable' as const), permits: fc.constantFrom(1, 2) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('add' as const), permits: fc.constantFrom(-1, 1, 2) }) },
);

interface Tenure {
  readonly id: string;
  readonly wanted: number;
  readonly leaseMs: permits.Lease;
  left: number;
  over: boolean;
}

/** A server, those who send it commands, and what must be true of it. */
class Story {
  readonly #server: MemoryServer;
  readonly #connection: ReturnType<MemoryServer['accept']>;
  readonly #inboxes = new Map<string, ReturnType<MemoryServer['accept']>>();
  readonly #sent: Command<unknown>[] = [];
  readonly #ran = new Set<Command<unknown>>();
  readonly #tenures: Tenure[] = [];
  #nowMs = 1_700_000_000_000;
  #reply: unknown;
  #total = TOTAL;
  #javas = 0;
  #number = 0;

  constructor() {
    this.#server = new MemoryServer({ now: () => this.#nowMs });
    const hungUp = () => undefined;
    this.#connection = this.#server.accept({
      receive: (frame) => {
        if (frame.kind === 'reply') this.#reply = frame.reply;
      },
      hungUp,
    });
    for (const process of PROCESSES) {
      const inbox = this.#server.accept({ receive: () => undefined, hungUp });
      inbox.execute(['subscribe', `holdfast_inbox:${process}`]);
      this.#inboxes.set(process, inbox);
    }
    this.#run(permits.count(keys, { change: { how: 'begin', permits: TOTAL }, ...this.#request() }));
  }

  tell(step: Happening): void {
    switch (step.kind) {
      case 'ask':
        this.#begin(step);
        return;
      case 'pass':
        this.#nowMs += step.ms;
        return;
      case 'die':
        this.#inboxes.get(PROCESSES[step.process] as string)?.close();
        return;
      case 'java':
        this.#java(step.takes);
        return;
      case 'expirable':
        this.#takeExpirable(step.permits);
        return;
      case 'add':
        this.#total += step.permits;
        this.#send(permits.count(keys, { change: { how: 'add', permits: step.permits }, ...this.#request() }));
        return;
      case 'copy':
        if (this.#sent.length > 0) this.#run(this.#sent[step.which % this.#sent.length] as Command<unknown>);
        return;
      default:
        this.#goOn(step.kind, step.which);
    }
  }

  /** All leases that end have ended, and those that do not are given back: only the counter is left. */
  end(): void {
    for (const tenure of this.#tenures)
      if (tenure.leaseMs === 'never')
        this.#send(permits.release(keys, { tenure: tenure.id, tombstoneMs, ...granting }));
    this.#nowMs += LEASE_MS + FRESH_MS;
    this.#send(permits.ask(keys, this.#askOf({ id: 'z:1', wanted: 1_000, leaseMs: LEASE_MS }, 0)));
    const space = this.#server.keysOf();
    expect(space.find(keys.permits)).toBeUndefined();
    expect(space.find(keys.queue)).toBeUndefined();
    expect(space.find(keys.timeouts)).toBeUndefined();
    expect(Number(space.text(keys.count))).toBe(this.#total - this.#javas);
  }

  #begin({ process, wanted, queues, ends }: Happening & { kind: 'ask' }): void {
    const id = `${PROCESSES[process]}:${++this.#number}`;
    const tenure: Tenure = { id, wanted, leaseMs: ends ? LEASE_MS : 'never', left: wanted, over: false };
    this.#tenures.push(tenure);
    this.#send(permits.ask(keys, this.#askOf(tenure, queues ? FRESH_MS : 0)));
  }

  #goOn(kind: 'again' | 'release' | 'renew' | 'shrink', index: number): void {
    const open = this.#tenures.filter(({ over }) => !over);
    const tenure = open[index % Math.max(open.length, 1)];
    if (tenure === undefined) return;
    const { id, leaseMs } = tenure;
    // A tenure that has given some back has had its answer: it asks no more.
    if (kind === 'again' && tenure.left === tenure.wanted) this.#send(permits.ask(keys, this.#askOf(tenure, FRESH_MS)));
    else if (kind === 'renew') this.#send(permits.renew([{ keys, tenure: id, leaseMs }]));
    else if (kind === 'shrink' && tenure.left > 1 && this.#records().has(id)) {
      this.#send(permits.shrink(keys, { tenure: id, left: --tenure.left, ...granting }));
    } else if (kind === 'release') {
      tenure.over = true;
      this.#send(permits.release(keys, { tenure: id, tombstoneMs, ...granting }));
    }
  }

  #java(takes: boolean): void {
    const free = Number(this.#server.keysOf().text(keys.count));
    if (takes ? free < 1 : this.#javas === 0) return;
    this.#javas += takes ? 1 : -1;
    this.#connection.execute(['set', keys.count, `${takes ? free - 1 : free + 1}`]);
  }

  /** A client of Redisson's has permits for some time, and never gives them back. */
  #takeExpirable(many: number): void {
    const free = Number(this.#server.keysOf().text(keys.count));
    if (free < many) return;
    this.#connection.execute(['set', keys.count, `${free - many}`]);
    for (let n = 0; n < many; n++)
      this.#connection.execute(['zadd', keys.timeouts, `${this.#nowMs + LEASE_MS / 2}`, `j${++this.#number}`]);
  }

  #send(command: Command<unknown>): void {
    this.#sent.push(command);
    this.#run(command);
  }

  #run(command: Command<unknown>): void {
    const before = this.#records();
    const isKnown = command.script.name === 'permits/count' && this.#ran.has(command);
    this.#ran.add(command);
    const waitedBefore = this.#waiting();
    const { script, args } = command;
    const texts = [...command.keys, ...args.map(String), 'question'];
    this.#connection.execute(['eval', script.source, `${command.keys.length}`, ...texts]);
    const word = String(Array.isArray(this.#reply) ? this.#reply[0] : this.#reply);
    this.#audit();
    // These do nothing, or look at nothing but a lease: what Redisson has given back is for the next script.
    if (script.name === 'permits/renew' || word === 'dead' || isKnown) return;
    this.#checkOrder(before, waitedBefore);
    this.#checkServed();
  }

  /** No permit is made, none is lost. */
  #audit(): void {
    let sum = Number(this.#server.keysOf().text(keys.count)) + this.#javas;
    for (const n of this.#records().values()) sum += n;
    sum += this.#server.keysOf().sortedSet(keys.timeouts)?.range(0, -1).length ?? 0;
    expect(sum).toBe(this.#total);
    // Without records there is no key, which would stay.
    expect([...(this.#server.keysOf().hash(keys.permits)?.keys() ?? [])]).not.toEqual(['sweep']);
  }

  /** Who got permits has overtaken nobody who is there. */
  #checkOrder(before: ReadonlyMap<string, number>, waitedBefore: readonly { id: string }[]): void {
    const still = this.#waiting();
    for (const id of this.#records().keys()) {
      if (before.has(id)) continue;
      const place = waitedBefore.findIndex((waiter) => waiter.id === id);
      const ahead = place < 0 ? waitedBefore : waitedBefore.slice(0, place);
      const overtaken = ahead.filter((waiter) => still.some((other) => other.id === waiter.id && other.here));
      expect({ id, overtaken }).toEqual({ id, overtaken: [] });
    }
  }

  /** Nobody waits for what there is. */
  #checkServed(): void {
    const [head] = this.#waiting();
    const free = Number(this.#server.keysOf().text(keys.count));
    if (head?.here) expect(head.wanted).toBeGreaterThan(free);
  }

  #waiting(): { id: string; wanted: number; here: boolean }[] {
    const space = this.#server.keysOf();
    const fresh = space.hash(keys.fresh);
    return (space.sortedSet(keys.queue)?.range(0, -1) ?? []).map((id) => {
      const [untilMs = 0, , wanted = 0] = (fresh?.get(id) ?? '').split(' ').map(Number);
      const inbox = this.#inboxes.get(id.slice(0, id.indexOf(':')));
      return { id, wanted, here: untilMs >= this.#nowMs && inbox?.closed === false };
    });
  }

  #records(): ReadonlyMap<string, number> {
    const fields = [...(this.#server.keysOf().hash(keys.permits) ?? [])].filter(([field]) => field !== 'sweep');
    return new Map(fields.map(([id, entry]) => [id, Number(entry.split(' ')[0])]));
  }

  #askOf({ id, wanted, leaseMs }: Pick<Tenure, 'id' | 'wanted' | 'leaseMs'>, freshMs: number) {
    return { tenure: id, wanted, leaseMs, freshMs, ticket: 0, freshTtlMs: FRESH_MS, initial: 0, ...granting };
  }

  #request() {
    return { request: `r:${++this.#number}`, tombstoneMs, ...granting };
  }
}

const { parameters, timeoutMs } = proofRuns({ quick: 150, long: 50_000 });
it(
  'no permit is made and none is lost, nobody is overtaken, and nobody waits for what there is, whatever copies arrive and whoever dies',
  () => {
    const stories = fc.array(happening, { minLength: 10, maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(stories, (story) => {
        const told = new Story();
        for (const step of story) told.tell(step);
        told.end();
      }),
      parameters,
    );
  },
  timeoutMs,
);
