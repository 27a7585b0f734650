import type { Redis } from 'ioredis';

/**
 * A connection on which ioredis sends commands of its own, and so all duplicates of it. A command that a wrapper of `sendCommand` fails to send is rejected, as ioredis
 * expects it: where it throws instead, ioredis waits for ever, or lets it end the process.
 */
export function guarded(redis: Redis): Redis {
  // Looked at each time: tools come and go.
  const methods = Object.getPrototypeOf(redis) as Redis;
  redis.sendCommand = (command, stream) => {
    new Promise((resolve) => resolve(methods.sendCommand.call(redis, command, stream))).catch(command.reject);
    return command.promise;
  };
  redis.duplicate = (options) => guarded(methods.duplicate.call(redis, options));
  return redis;
}
