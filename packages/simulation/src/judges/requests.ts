/** What a request asks of locks: a script may do the same for several at once. */

import { type ScriptName, scriptOf } from './script-names.js';

/** One lock and one tenure of a request. */
export interface ScriptCall {
  readonly name: ScriptName;
  readonly lock: string;
  readonly tenure: string;
}

/** Scripts that do for each of several what another does for one. */
const joint: Partial<Record<ScriptName, ScriptName>> = { releases: 'release', asks: 'ask', reasks: 'ask' };

/** None where it is no script of a lock, or renews leases. */
export function callsIn(request: readonly string[]): ScriptCall[] {
  const name = scriptOf(request);
  if (name === undefined || name === 'renew') return [];
  const keys = Number(request[2]);
  const single = joint[name];
  if (single === undefined) return [{ name, lock: request[3] ?? '', tenure: request[3 + keys] ?? '' }];
  // For each tenure as many keys and arguments as for one: three arguments more than keys. The last is the name of the question.
  const calls: ScriptCall[] = [];
  const args = request.length - 3 - keys - 1;
  const tenures = (args - keys) / 3;
  for (let key = 3, arg = 3 + keys; key < 3 + keys; key += keys / tenures, arg += args / tenures)
    calls.push({ name: single, lock: request[key] ?? '', tenure: request[arg] ?? '' });
  return calls;
}

/** The id of the client that a tenure belongs to. */
export function clientOf(tenure: string): string {
  const end = tenure.lastIndexOf(':');
  return tenure.slice(tenure.lastIndexOf(':', end - 1) + 1, end);
}
