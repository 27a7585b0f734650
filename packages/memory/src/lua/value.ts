/** The values of Lua 5.1, as far as scripts in Redis have them: nil is `undefined`, a text has one character for each byte. */

import { ErrorReply } from '../server/reply.js';
import type { LuaTable } from './table.js';

export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction;

/** Gives all of its results, however many. */
export type LuaFunction = (...args: LuaValue[]) => readonly LuaValue[];

/** An error of the script that nothing in it catches. Where in the script it was raised is not told, as a real server does behind the message. */
export function raised(message: string): ErrorReply {
  return new ErrorReply(`ERR user_script: ${message}`);
}

/** What this interpreter does not know is its own shortcoming, and no error that a script, or a client, may take for an answer. */
export class UnknownToLua extends Error {
  override readonly name = 'UnknownToLua';
}

export function typeOf(value: LuaValue): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil';
    case 'object':
      return 'table';
    default:
      return typeof value;
  }
}

/** All but nil and false. */
export const yes = (value: LuaValue): boolean => value !== undefined && value !== false;
