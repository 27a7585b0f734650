import type { ScriptPort } from '@holdfast/core';
import type { Redis } from 'ioredis';

/** Sends scripts through ioredis. Its `keyPrefix`, if any, is put before the keys by ioredis itself. */
export function scriptPort(redis: Redis): ScriptPort {
  return {
    evalsha: (sha, keys, args) => redis.evalsha(sha, keys.length, ...keys, ...texts(args)),
    eval: (source, keys, args) => redis.eval(source, keys.length, ...keys, ...texts(args)),
  };
}

/** ioredis looks at each argument that is no text for what else it may be, which costs a quarter of the time it needs for a command. */
function texts(args: readonly (string | number)[]): string[] {
  return args.map((arg) => `${arg}`);
}

/** The same for a server that takes over a slot and must be told, for each command, that it is meant although it does not own it yet. */
export function askingPort(redis: Redis): ScriptPort {
  const port = scriptPort(redis);
  // Its reply is `OK` or the trouble of the whole connection, which the command behind it has as well.
  const ask = () => void redis.asking().catch(() => undefined);
  return {
    evalsha: (sha, keys, args) => {
      ask();
      return port.evalsha(sha, keys, args);
    },
    eval: (source, keys, args) => {
      ask();
      return port.eval(source, keys, args);
    },
  };
}
