import type { Command, Redis } from 'ioredis';

/** Notes `sent` among what happens, for each command that leaves by `redis` from now on, or each that counts. */
export function noteSends(redis: Redis, happened: string[], counts: (command: Command) => boolean = () => true): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    if (counts(command)) happened.push('sent');
    return send(command, stream);
  };
}
