/** What a request asks of locks, where a script may do the same for several at once, and of semaphores. */

import { type PermitsScriptName, permitsScriptOf, type ScriptName, scriptOf } from './script-names.js';

/** One lock and one tenure of a request. */
export interface ScriptCall {
  readonly name: ScriptName;
  readonly lock: string;
  readonly tenure: string;
  /** Its arguments, the tenure first. */
  readonly args: readonly string[];
}

/** Scripts that do for each of several what another does for one. */
const joint: Partial<Record<ScriptName, ScriptName>> = { releases: 'release', asks: 'ask', reasks: 'ask' };

/** None where it is no script of a lock, or renews leases. */
export function callsIn(request: readonly string[]): ScriptCall[] {
  const name = scriptOf(request);
  if (name === undefined || name === 'renew') return [];
  const keys = Number(request[2]);
  const single = joint[name];
  if (single === undefined) {
    const args = request.slice(3 + keys, -1);
    return [{ name, lock: request[3] ?? '', tenure: args[0] ?? '', args }];
  }
  // For each tenure as many keys and arguments as for one: three arguments more than keys. The last is the name of the question.
  const calls: ScriptCall[] = [];
  const args = request.length - 3 - keys - 1;
  const tenures = (args - keys) / 3;
  for (let key = 3, arg = 3 + keys; key < 3 + keys; key += keys / tenures, arg += args / tenures) {
    const own = request.slice(arg, arg + args / tenures);
    calls.push({ name: single, lock: request[key] ?? '', tenure: own[0] ?? '', args: own });
  }
  return calls;
}

/** As {@link callsIn}, and renewals too: each lock that a request may have changed. */
export function changesIn(request: readonly string[]): ScriptCall[] {
  if (scriptOf(request) !== 'renew') return callsIn(request);
  const keys = Number(request[2]);
  return request.slice(3, 3 + keys).map((lock, place) => {
    const args = request.slice(3 + keys + 2 * place, 5 + keys + 2 * place);
    return { name: 'renew', lock, tenure: args[0] ?? '', args };
  });
}

/** What a request asks of a semaphore. */
export interface PermitsCall {
  readonly name: PermitsScriptName;
  readonly semaphore: string;
  /** The key of the records of those who have permits. */
  readonly records: string;
  /** Its arguments; the tenure first, where it is one that asks or gives back. */
  readonly args: readonly string[];
}

/** Undefined where it is no script of a semaphore, or renews leases. */
export function permitsCallIn(request: readonly string[]): PermitsCall | undefined {
  const name = permitsScriptOf(request);
  if (name === undefined || name === 'renew') return undefined;
  const keys = Number(request[2]);
  return {
    name,
    semaphore: request[3] ?? '',
    records: request[2 + keys] ?? '',
    args: request.slice(3 + keys, -1),
  };
}

/** The id of the client that a tenure belongs to. */
export function clientOf(tenure: string): string {
  const end = tenure.lastIndexOf(':');
  return tenure.slice(tenure.lastIndexOf(':', end - 1) + 1, end);
}
