/** Random steps of the differential test, and how they become commands. */
import * as fc from 'fast-check';
import { isOther, ownerOf } from './rules.js';
import { type Command, GRAIN_MS, LASTING, type Lock, type Other, type RenewItem, type World } from './vocabulary.js';

/** Two clients with a subscriber and one without; one tenure with an explicit owner. */
export const TENURES = ['a:1', 'a:2', 'w:b:1', 'b:2', 'c:1'] as const;
export const LISTENING = ['a', 'b'] as const;
const REQUESTS = ['f:1', 'f:2', 'f:3'] as const;
export const IDENTITIES: readonly string[] = [...TENURES, ...REQUESTS];

/**
 * What may happen next. `send`: a new command, of the owner of the lock at that moment if it is aimed so, with or without the ticket
 * that its tenure was given. `copy`: a command sent earlier arrives once more, the `back`-th before the last. `foreignOwner`: a foreign
 * client takes the free lock. `foreignReader`: Java's read lock joins its owner. `clockGoesBack`: the waiters have come a minute later than
 * any that comes now. `deadWaiters`: a crowd at the head of the queue. `saysMore`: a waiter is of a later version, whose entries have further words.
 */
export type Step =
  | { kind: 'send'; command: Command; ticket: 'kept' | 'none'; aim: 'owner' | 'tenure' }
  | { kind: 'copy'; back: number }
  | { kind: 'expire'; what: 'lock' | 'queue' }
  | { kind: 'forgetTombstone'; identity: string }
  | { kind: 'goStale'; tenure: string }
  | { kind: 'saysMore'; tenure: string; more: string }
  | { kind: 'foreignOwner'; lock: Lock | Other }
  | { kind: 'foreignReader' }
  | { kind: 'losesTtl' }
  | { kind: 'clockGoesBack' }
  | { kind: 'deadWaiters'; many: number; why: 'stale' | 'unknown' | 'no subscriber'; more: string };

const tenure = fc.constantFrom(...TENURES);
const leaseMs = fc.constantFrom(10_000, 40_000, 80_000);
const tombstoneMs = fc.constantFrom(0, 60_000);
const end = fc.constantFrom('lost' as const, 'released' as const, 'unused' as const);
const granting = { claimMs: fc.constant(20_000), trust: fc.boolean() };

/** Numbers are given when a command is first sent, see {@link Numbering}. */
const seq = fc.constant(0);

const ask = fc.record({
  op: fc.constant('ask' as const),
  tenure,
  leaseMs,
  freshMs: fc.constantFrom(0, 30_000, 30_000, 30_000),
  ticket: fc.constant(0),
  freshTtlMs: fc.constantFrom(50_000, 70_000),
  ...granting,
});
const renewItem: fc.Arbitrary<RenewItem> = fc.record({
  of: fc.constantFrom('this lock' as const, 'this lock' as const, 'no lock' as const, 'a text' as const),
  tenure,
  leaseMs: fc.constantFrom(0, 30_000, 90_000),
});
const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: ask },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('again' as const), tenure, seq, leaseMs: fc.constantFrom(0, 60_000) }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('handoff' as const), tenure, seq, leaseMs }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('release' as const), tenure, seq, tombstoneMs, ...granting }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('cancel' as const), tenure, tombstoneMs, end, ...granting }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('force' as const),
      request: fc.constantFrom(...REQUESTS),
      tombstoneMs: fc.constant(60_000),
      ...granting,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('renew' as const),
      items: fc.array(renewItem, { minLength: 1, maxLength: 4 }),
    }),
  },
);

/** What a later version might write behind the two numbers of an entry: a mode, permits, a token, a number of its own. */
const LATER_WORDS = [' shared', ' shared 3 -', ' 17 1700000000000', ' -'] as const;

/** A thread of Redisson's. */
export const JAVA = '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:1';

/** A plain lock, Redisson's read-write lock in its two modes, and no lock at all. */
const foreignLock: fc.Arbitrary<Lock | Other> = fc.constantFrom<Lock | Other>(
  { owners: { [JAVA]: 1 }, ttlMs: GRAIN_MS },
  { owners: { [JAVA]: 2 }, ttlMs: LASTING },
  { owners: { [JAVA]: 1, [`${JAVA}2`]: 1 }, mode: 'read', ttlMs: GRAIN_MS },
  { owners: { [`${JAVA}:write`]: 1 }, mode: 'write', ttlMs: GRAIN_MS },
  'text',
  'record',
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      command: commands,
      ticket: fc.constantFrom('kept' as const, 'kept' as const, 'none' as const),
      aim: fc.constantFrom('owner' as const, 'owner' as const, 'tenure' as const),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('copy' as const),
      back: fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4, 6, 9, 13),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('expire' as const),
      what: fc.constantFrom('lock' as const, 'queue' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('forgetTombstone' as const), identity: fc.constantFrom(...IDENTITIES) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('goStale' as const), tenure }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('saysMore' as const), tenure, more: fc.constantFrom(...LATER_WORDS) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('foreignOwner' as const), lock: foreignLock }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'foreignReader' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'losesTtl' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'clockGoesBack' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deadWaiters' as const),
      many: fc.integer({ min: 61, max: 67 }),
      why: fc.constantFrom('stale' as const, 'unknown' as const, 'no subscriber' as const),
      more: fc.constantFrom('', ...LATER_WORDS),
    }),
  },
);

export const stories: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 10, maxLength: 40, size: 'max' });

/** Gives each new command of a tenure the next number, and each ask the ticket its tenure was given last. */
export class Numbering {
  readonly #seqs = new Map<string, number>();
  readonly #tickets = new Map<string, number>();
  readonly #sent: Command[] = [];
  #crowds = 0;

  first({ command: template, ticket, aim }: Step & { kind: 'send' }, lock: World['lock']): Command {
    const ours = lock !== undefined && !isOther(lock) && lock.seq !== undefined ? ownerOf(lock) : undefined;
    const aimed = aim === 'owner' && ours !== undefined && 'seq' in template;
    const command = this.#numbered(aimed ? { ...template, tenure: ours } : template, ticket);
    this.#sent.push(command);
    return command;
  }

  copy(back: number): Command | undefined {
    return this.#sent.at(-1 - back);
  }

  /** Tenures that have not been heard of, of clients that do not listen. */
  crowd(many: number): string[] {
    const client = `z${++this.#crowds}`;
    return Array.from({ length: many }, (_, index) => `${client}:${index + 1}`);
  }

  learn(waiter: string, ticket: number): void {
    this.#tickets.set(waiter, ticket);
  }

  #numbered(template: Command, ticket: 'kept' | 'none'): Command {
    if (template.op === 'ask') {
      return ticket === 'none' ? template : { ...template, ticket: this.#tickets.get(template.tenure) ?? 0 };
    }
    if (!('seq' in template)) return template;
    const next = (this.#seqs.get(template.tenure) ?? 1) + 1;
    this.#seqs.set(template.tenure, next);
    return { ...template, seq: next };
  }
}
