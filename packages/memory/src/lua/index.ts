/**
 * The scripts of the lock protocol as they are sent to a real server, in Lua, for a {@link MemoryServer} that is to execute them instead of the rules
 * beside it: `new MemoryServer({ scripts: luaScripts(), … })`.
 *
 * An entry of its own. It needs a parser, and nobody but tests and simulated worlds has any use for it.
 *
 * @packageDocumentation
 */

import {
  electionScripts,
  fencedScripts,
  guardScripts,
  latchScripts,
  permitsScripts,
  readWriteScripts,
  scripts,
  shareScripts,
} from '@holdfast/core';
import type { ScriptBody } from '../server/scripts/lua.js';
import { luaScript } from './script.js';

export { redisCommands } from './commands.js';
export { luaScript } from './script.js';
export { UnknownToLua } from './errors.js';

const all = [
  scripts,
  electionScripts,
  fencedScripts,
  guardScripts,
  latchScripts,
  permitsScripts,
  readWriteScripts,
  shareScripts,
].flatMap((of) => Object.values(of));

/** By name, as `@holdfast/core` names them. */
export function luaScripts(): Readonly<Record<string, ScriptBody>> {
  return Object.fromEntries(all.map(({ name, source }) => [name, luaScript(source)]));
}
