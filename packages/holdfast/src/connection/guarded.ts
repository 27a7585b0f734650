import type { Redis } from 'ioredis';

/**
 * A connection on which ioredis sends commands of its own, and so all duplicates of it. A command that a wrapper of `sendCommand` fails to send is rejected, as ioredis
 * expects it: where it throws instead, ioredis waits for ever, or lets it end the process.
 */
export function guarded(redis: Redis): Redis {
  // Looked at each time: tools come and go.
  const methods = Object.getPrototypeOf(redis) as Redis;
  redis.sendCommand = (command, stream) => {
    try {
      const sent = methods.sendCommand.call(redis, command, stream);
      // Where nobody wraps it, nothing is made for it: a thousand may be under way.
      if (sent !== command.promise) Promise.resolve(sent).catch(command.reject);
    } catch (error) {
      command.reject(error as Error);
    }
    return command.promise;
  };
  redis.duplicate = (options) => guarded(methods.duplicate.call(redis, options));
  return redis;
}
