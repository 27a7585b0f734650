/**
 * Judges, on the server, that a tenure which has ended stays ended.
 *
 * A command that is late, or comes a second time, must not take a lock for a tenure that was released or cancelled: nobody would give it back, and
 * the lock would stand idle for a lease. Callers hardly notice; the server's data shows it at once.
 *
 * A server that has lost its data has forgotten what had ended there, too.
 */

import type { MemoryServer } from '@holdfast/memory';
import { callsIn, type ScriptCall } from './requests.js';
import type { ScriptName } from './script-names.js';
import type { Violation } from './violation.js';

const ending: ReadonlySet<ScriptName | undefined> = new Set<ScriptName>(['release', 'rest', 'cancel']);

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
    for (const call of callsIn(request)) this.#executed(now, server, call);
  }

  #executed(now: number, server: MemoryServer, { name, lock, tenure }: ScriptCall): void {
    let ended = this.#endedAt.get(server);
    if (ended === undefined) this.#endedAt.set(server, (ended = new Set()));
    const owners = server.keysOf().find(lock)?.value;
    if (owners instanceof Map) {
      for (const owner of owners.keys()) {
        if (!ended.has(owner)) continue;
        this.#report({
          rule: 'ghost',
          at: now,
          lock,
          text: `${owner} has ended, and owns the lock again after ${name}`,
        });
        return;
      }
    }
    const isOwner = owners instanceof Map && owners.has(tenure);
    if (ending.has(name) && !isOwner) ended.add(tenure);
  }
}
