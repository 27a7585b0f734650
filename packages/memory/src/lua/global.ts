/** The globals of a script, as translated code names them. */

import { UnknownToLua } from './errors.js';
import { globals } from './library.js';
import { LuaTable } from './value.js';

/** What Redis gives each script. */
export const given = ['redis', 'KEYS', 'ARGV'] as const;
/** Of `redis`. */
const served: ReadonlySet<string> = new Set(['call', 'pcall']);

const isLibrary = (name: string): boolean => name === 'redis' || globals[name] instanceof LuaTable;

function codeOf(name: string): string {
  if ((given as readonly string[]).includes(name)) return name;
  if (!Object.hasOwn(globals, name)) throw new UnknownToLua(`the global ${name}`);
  return `globals.${name}`;
}

/** One by itself. A library is not to be had: under another name nobody would see what it is asked for, and one that is written to would stay so. */
export function globalAlone(name: string): string {
  if (isLibrary(name)) throw new UnknownToLua(`the library ${name} as a value`);
  return codeOf(name);
}

/**
 * A function of a library; undefined: it is none. One that Lua or Redis has and this library has not would be nil, and a script could take that for
 * an answer.
 */
export function ofLibrary(name: string, field: string): string | undefined {
  if (!isLibrary(name)) return undefined;
  const library = globals[name];
  const isThere = library instanceof LuaTable ? library.get(field) !== undefined : served.has(field);
  if (!isThere) throw new UnknownToLua(`${name}.${field}`);
  return `index(${codeOf(name)}, ${JSON.stringify(field)})`;
}
