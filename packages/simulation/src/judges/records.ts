/**
 * Judges what a server keeps of the owner of a lock, command by command: how callers fare is seen much later, and seldom.
 *
 * - Only a command of the owner changes what is kept of it.
 * - The number of its holds and its fencing token change with a command that counts as new, and not with a copy of one.
 * - Its lease gets no shorter, but by a handoff, which begins another hold: one alone, whatever the last one had been.
 *
 * A lock that was deleted from outside may have its owner of before again: not for worlds in which locks are taken away.
 */

import type { MemoryServer } from '@holdfast/memory';
import type { Scenario } from '../plan/scenario.js';
import { changesIn, type ScriptCall } from './requests.js';
import type { Violation } from './violation.js';
import { watchedLocks, type WatchedKeys } from './watched.js';

/** What is kept of an owner. `endsAt`: server time. */
interface OwnerRecord {
  readonly owner: string;
  readonly count: string;
  readonly seq: number;
  readonly token: string | undefined;
  readonly endsAt: number;
}

/** See the module comment. */
export class RecordJudge {
  readonly #report: (violation: Violation) => void;
  readonly #locks: ReadonlyMap<string, WatchedKeys>;
  readonly #last = new Map<string, OwnerRecord>();

  constructor(scenario: Scenario, report: (violation: Violation) => void) {
    this.#report = report;
    this.#locks = watchedLocks(scenario);
  }

  /** A server has executed `request`. */
  executed(now: number, server: MemoryServer, request: readonly string[]): void {
    const calls = changesIn(request);
    for (const call of calls) {
      const lock = this.#locks.get(call.lock);
      if (lock === undefined) continue;
      const before = this.#last.get(call.lock);
      const after = recordOn(server, lock);
      if (after === undefined) this.#last.delete(call.lock);
      else this.#last.set(call.lock, after);
      if (before === undefined || after === undefined || before.owner !== after.owner) continue;
      // It is over, and was begun afresh.
      if (before.endsAt < server.keysOf().nowMs) continue;
      // Several of one lock may leave together.
      const isOwn = calls.some(({ lock: key, tenure }) => key === call.lock && tenure === after.owner);
      const what = isOwn
        ? wrongIn(before, after, call)
        : isSame(before, after)
          ? undefined
          : `of ${call.tenure} changes what is kept of it`;
      if (what !== undefined)
        this.#report({ rule: 'record', at: now, lock: lock.name, text: `${after.owner}: ${call.name} ${what}` });
    }
  }
}

function recordOn(server: MemoryServer, { lock }: WatchedKeys): OwnerRecord | undefined {
  const entry = server.keysOf().find(lock);
  if (entry === undefined || !(entry.value instanceof Map)) return undefined;
  const fields = entry.value;
  for (const [owner, count] of fields) {
    if (!owner.includes(':')) continue;
    const seq = Number(fields.get('seq') ?? 0);
    return { owner, count, seq, token: fields.get('token'), endsAt: entry.endsAt };
  }
  return undefined;
}

function isSame(a: OwnerRecord, b: OwnerRecord): boolean {
  return a.count === b.count && a.seq === b.seq && a.token === b.token && a.endsAt === b.endsAt;
}

/** By a command of the owner. In words; undefined when it may be. */
function wrongIn(before: OwnerRecord, after: OwnerRecord, { name }: ScriptCall): string | undefined {
  const isNew = after.seq > before.seq;
  const isShorter = after.endsAt < before.endsAt;
  if (!isNew && after.count !== before.count)
    return `that is not new changes its holds from ${before.count} to ${after.count}`;
  if (!isNew && before.token !== undefined && after.token !== before.token)
    return `that is not new changes its token from ${before.token} to ${after.token}`;
  if (name === 'handoff' && isNew) return after.count === '1' ? undefined : `hands on ${after.count} holds as one`;
  if (isShorter && before.endsAt !== Number.POSITIVE_INFINITY)
    return `ends its lease ${before.endsAt - after.endsAt} ms sooner`;
  return undefined;
}
