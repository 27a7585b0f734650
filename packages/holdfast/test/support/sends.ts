import type { Redis } from 'ioredis';

/** Notes `sent` among what happens, for each command that leaves by `redis` from now on. */
export function noteSends(redis: Redis, happened: string[]): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    happened.push('sent');
    return send(command, stream);
  };
}
