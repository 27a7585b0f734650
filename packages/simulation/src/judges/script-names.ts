/** Which script of a lock, or of a semaphore, a request runs. */

import { fencedScripts, permitsScripts, readWriteScripts, scripts } from '@holdfast/core';

/** See the module comment. */
export type ScriptName = keyof typeof scripts | keyof typeof readWriteScripts | keyof typeof fencedScripts;

/** Those of semaphores have names of their own: an `ask` is not that of a lock. */
export type PermitsScriptName = keyof typeof permitsScripts;

type Scripts = Readonly<Record<string, { readonly sha: string; readonly source: string }>>;

const namesOf = <Name extends string>(...all: readonly Scripts[]): ReadonlyMap<string, Name> =>
  new Map(
    all.flatMap((of) =>
      Object.entries(of).flatMap(([name, { sha, source }]) => [[sha, name as Name] as const, [source, name as Name]]),
    ),
  );

const names = namesOf<ScriptName>(scripts, fencedScripts, readWriteScripts);
const permitsNames = namesOf<PermitsScriptName>(permitsScripts);

/** Undefined: another one, or no script at all. */
export const scriptOf = (request: readonly string[]): ScriptName | undefined => names.get(request[1] ?? '');

/** Undefined: none of a semaphore. */
export const permitsScriptOf = (request: readonly string[]): PermitsScriptName | undefined =>
  permitsNames.get(request[1] ?? '');
