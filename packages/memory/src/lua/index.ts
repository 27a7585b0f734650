/**
 * The scripts of the lock protocol as they are sent to a real server, in Lua, for a {@link MemoryServer} that is to execute them instead of the rules
 * beside it: `new MemoryServer({ scripts: luaScripts(), … })`.
 *
 * An entry of its own. It needs a parser, and nobody but tests and simulated worlds has any use for it.
 *
 * @packageDocumentation
 */

import { knownScripts } from '../server/known-scripts.js';
import type { ScriptBody } from '../server/scripts/lua.js';
import { luaScript } from './script.js';

export { redisCommands } from './commands.js';
export { luaScript } from './script.js';
export { UnknownToLua } from './errors.js';

/** By name, as `@holdfast/core` names them. */
export function luaScripts(): Readonly<Record<string, ScriptBody>> {
  return Object.fromEntries(knownScripts.map(({ name, source }) => [name, luaScript(source)]));
}
