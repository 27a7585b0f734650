/**
 * Judges, on the server, that a tenure which has ended stays ended.
 *
 * A command that is late, or comes a second time, must not take a lock for a tenure that was released or cancelled: nobody would give it back, and
 * the lock would stand idle for a lease. Callers hardly notice; the server's data shows it at once.
 *
 * A server that has lost its data has forgotten what had ended there, too.
 */

import type { MemoryServer } from '@holdfast/memory';
import { type ScriptName, scriptOf } from './script-names.js';
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
    const name = scriptOf(request);
    if (name === undefined || name === 'renew') return;
    const keys = Number(request[2]);
    if (name === 'releases' || name === 'asks' || name === 'reasks') {
      // For each tenure as many keys and arguments as for one: three arguments more than keys. The last is the name of the question.
      const single = name === 'releases' ? 'release' : 'ask';
      const args = request.length - 3 - keys - 1;
      const tenures = (args - keys) / 3;
      for (let key = 3, arg = 3 + keys; key < 3 + keys; key += keys / tenures, arg += args / tenures)
        this.#executed(now, server, { name: single, lock: request[key] ?? '', tenure: request[arg] ?? '' });
      return;
    }
    this.#executed(now, server, { name, lock: request[3] ?? '', tenure: request[3 + keys] ?? '' });
  }

  #executed(
    now: number,
    server: MemoryServer,
    { name, lock, tenure }: { readonly name: ScriptName; readonly lock: string; readonly tenure: string },
  ): void {
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
