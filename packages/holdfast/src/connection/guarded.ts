import type { Redis } from 'ioredis';

/**
 * A connection on which ioredis sends commands of its own, and so all duplicates of it. A command that a wrapper of `sendCommand` fails to send is rejected, as ioredis
 * expects it: where it throws instead, ioredis waits for ever, or lets it end the process. And of a server that does not know INFO, which ioredis asks before it
 * calls a connection ready, that answer is one which says nothing.
 */
export function guarded(redis: Redis): Redis {
  // Looked at each time: tools come and go.
  const methods = Object.getPrototypeOf(redis) as Redis;
  redis.sendCommand = (command, stream) => {
    const { reject } = command;
    if (command.name === 'info')
      command.reject = (error) => (/unknown command/.test(error.message) ? command.resolve('') : reject(error));
    try {
      const sent = methods.sendCommand.call(redis, command, stream);
      // Where nobody wraps it, nothing is made for it: a thousand may be under way.
      if (sent !== command.promise) Promise.resolve(sent).catch(reject);
    } catch (error) {
      reject(error as Error);
    }
    return command.promise;
  };
  redis.duplicate = (options) => guarded(methods.duplicate.call(redis, options));
  return redis;
}
