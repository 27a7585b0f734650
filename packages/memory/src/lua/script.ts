/** A script of Redis: its source in Lua, run on a server in memory. */

import type { Commands } from '../server/commands.js';
import { ErrorReply } from '../server/reply.js';
import type { ScriptBody } from '../server/scripts/lua.js';
import { answeredByScript, errorTable, givenToScript } from './answer.js';
import { bytesOf, textOf } from './bytes.js';
import { redisCommands } from './commands.js';
import { general } from './number.js';
import { UnknownToLua } from './errors.js';
import { LuaTable, type LuaValue } from './value.js';
import { translate, type Translated } from './translate.js';

function argument(value: LuaValue): string {
  if (typeof value === 'string') return textOf(value);
  if (typeof value === 'number') return general(value, 17);
  throw new ErrorReply('ERR Lua redis lib command arguments must be strings or integers');
}

function call(redis: Commands, args: readonly LuaValue[]): LuaValue {
  const [name, ...rest] = args.map(argument);
  if (name === undefined) throw new ErrorReply('ERR Please specify at least one argument for this redis lib call');
  const word = name.toLowerCase();
  const command = redisCommands[word];
  if (command === undefined) throw new UnknownToLua(`the command ${name}`);
  if (rest.length > command.most) throw new UnknownToLua(`${name} with ${rest.length} arguments`);
  if (rest.length < command.least) {
    throw new ErrorReply('ERR Wrong number of args calling Redis command from script');
  }
  redis.enter(word, command.access);
  const [key = '', ...others] = rest;
  return givenToScript(command.run(redis, key, ...others));
}

const libraries = new WeakMap<Commands, LuaTable>();

/** `redis`, as the scripts of one server have it. */
function libraryOf(redis: Commands): LuaTable {
  const known = libraries.get(redis);
  if (known !== undefined) return known;
  const library = LuaTable.from({
    call: (...args) => [call(redis, args)],
    pcall: (...args) => {
      try {
        return [call(redis, args)];
      } catch (error) {
        if (error instanceof ErrorReply) return [errorTable(error)];
        throw error;
      }
    },
  });
  libraries.set(redis, library);
  return library;
}

const tableOf = (texts: readonly string[]): LuaTable => LuaTable.of(texts.map(bytesOf));

/** Whatever else is thrown says something about this interpreter, and nothing about the script: nobody may take it for a find. */
function notUnderstood(error: unknown): Error {
  if (error instanceof ErrorReply || error instanceof UnknownToLua) return error;
  return new UnknownToLua(String(error), { cause: error });
}

/** It is translated when it runs for the first time. */
export function luaScript(source: string): ScriptBody {
  let script: Translated | undefined;
  return (redis, keys, args) => {
    try {
      script ??= translate(bytesOf(source));
      return answeredByScript(script(libraryOf(redis), tableOf(keys), tableOf(args))[0]);
    } catch (error) {
      throw notUnderstood(error);
    }
  };
}
