import { run, type Command } from '@holdfast/core';
import type { Redis } from 'ioredis';

/** Sends a command past every client, as a copy of it that the network delivers late. */
export const deliver = <R>(admin: Redis, command: Command<R>): Promise<R> =>
  run(
    {
      evalsha: (sha, keys, args) => admin.evalsha(sha, keys.length, ...keys, ...args),
      eval: (source, keys, args) => admin.eval(source, keys.length, ...keys, ...args),
    },
    command,
  );
