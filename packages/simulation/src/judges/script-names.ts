/** Which script of a lock a request runs. */

import { fencedScripts, readWriteScripts, scripts } from '@holdfast/core';

/** See the module comment. */
export type ScriptName = keyof typeof scripts | keyof typeof readWriteScripts | keyof typeof fencedScripts;

const names = new Map<string, ScriptName>();
const all = [scripts, fencedScripts, readWriteScripts].flatMap((of) => Object.entries(of));
for (const [name, { sha, source }] of all as [ScriptName, { sha: string; source: string }][]) {
  names.set(sha, name);
  names.set(source, name);
}

/** Undefined: another one, or no script at all. */
export const scriptOf = (request: readonly string[]): ScriptName | undefined => names.get(request[1] ?? '');
