/**
 * Judges, on the server, that a tenure which has ended stays ended.
 *
 * A command that is late, or comes a second time, must not take a lock for a tenure that was released or cancelled: nobody would give it back, and
 * the lock would stand idle for a lease. Nor may it take permits. Callers hardly notice; the server's data shows it at once.
 *
 * A server that has lost its data has forgotten what had ended there, too.
 */

import type { MemoryServer } from '@holdfast/memory';
import { callsIn, permitsCallIn } from './requests.js';
import type { ScriptName } from './script-names.js';
import type { Violation } from './violation.js';

const ending: ReadonlySet<ScriptName | undefined> = new Set<ScriptName>(['release', 'rest', 'cancel']);

/** A script of a lock or of a semaphore, and what it was to leave. */
interface Step {
  /** What it was for. */
  readonly lock: string;
  /** The key of the hash whose fields are the tenures that have it, or permits of it. */
  readonly owners: string;
  readonly name: string;
  /** That which is to be over; undefined: none. */
  readonly ends: string | undefined;
}

/** See the module comment. */
export class GhostJudge {
  readonly #endedAt = new Map<MemoryServer, Set<string>>();
  readonly #report: (violation: Violation) => void;

  constructor(report: (violation: Violation) => void) {
    this.#report = report;
  }

  /** A server has lost its data. */
  emptied(server: MemoryServer): void {
    this.#endedAt.delete(server);
  }

  /** A server has executed `request`: a script with its keys and arguments, or something else. */
  executed(now: number, server: MemoryServer, request: readonly string[]): void {
    for (const step of stepsIn(request)) this.#executed(now, server, step);
  }

  #executed(now: number, server: MemoryServer, { lock, owners: key, name, ends }: Step): void {
    let ended = this.#endedAt.get(server);
    if (ended === undefined) this.#endedAt.set(server, (ended = new Set()));
    const value = server.keysOf().find(key)?.value;
    const owners: ReadonlyMap<string, unknown> = value instanceof Map ? value : new Map();
    for (const owner of owners.keys()) {
      if (!ended.has(owner)) continue;
      const what = key === lock ? 'owns the lock' : 'has permits';
      this.#report({ rule: 'ghost', at: now, lock, text: `${owner} has ended, and ${what} again after ${name}` });
      return;
    }
    if (ends !== undefined && !owners.has(ends)) ended.add(ends);
  }
}

function stepsIn(request: readonly string[]): Step[] {
  const permits = permitsCallIn(request);
  if (permits !== undefined) {
    const { name, semaphore, records, args } = permits;
    const [tenure, left] = args;
    return [{ lock: semaphore, owners: records, name, ends: name === 'release' && left === '0' ? tenure : undefined }];
  }
  return callsIn(request).map(({ name, lock, tenure }) => ({
    lock,
    owners: lock,
    name,
    ends: ending.has(name) ? tenure : undefined,
  }));
}
