import type { ScriptPort } from '@holdfast/core';
import type { Redis } from 'ioredis';

/**
 * Sends scripts through ioredis. Its `keyPrefix`, if any, is put before the keys by ioredis itself.
 *
 * ioredis writes every command to the socket by itself: one system call each, and each may wake the server. Commands of one turn (the 64
 * tasks that one packet of replies has woken, say) are held together until the turn is over and leave as one packet. A single command
 * waits for no longer than the end of the turn that sends it.
 */
export function scriptPort(redis: Redis): ScriptPort {
  return {
    evalsha(sha, keys, args) {
      gather(redis.stream);
      return redis.evalsha(sha, keys.length, ...keys, ...args);
    },
    eval(source, keys, args) {
      gather(redis.stream);
      return redis.eval(source, keys.length, ...keys, ...args);
    },
  };
}

function gather(stream: Redis['stream']): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(release, stream);
}

function release(stream: Redis['stream']): void {
  stream.uncork();
}
