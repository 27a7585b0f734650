import type { ScriptPort } from '@holdfast/core';
import type { Redis } from 'ioredis';

/** Sends scripts through ioredis. Its `keyPrefix`, if any, is put before the keys by ioredis itself. */
export function scriptPort(redis: Redis): ScriptPort {
  return {
    evalsha: (sha, keys, args) => redis.evalsha(sha, keys.length, ...keys, ...args),
    eval: (source, keys, args) => redis.eval(source, keys.length, ...keys, ...args),
  };
}
