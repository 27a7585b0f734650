/** The methods of a connection that send a command, one for each command that a memory server knows; made from their names, as ioredis does. */

import { EventEmitter } from 'node:events';
import type { Redis, RedisOptions } from 'ioredis';
import { MemoryCommand } from './memory-command.js';

const names = [
  ...(['ping', 'echo', 'info', 'time', 'select', 'client', 'auth', 'asking', 'readonly', 'readwrite', 'quit'] as const),
  ...(['script', 'wait', 'evalsha', 'eval', 'dbsize', 'flushall'] as const),
  ...(['subscribe', 'ssubscribe', 'unsubscribe', 'sunsubscribe', 'publish', 'spublish', 'pubsub'] as const),
  ...(['get', 'set', 'del', 'unlink', 'exists', 'type', 'keys', 'scan', 'incr', 'pttl', 'pexpire', 'persist'] as const),
  ...(['hget', 'hset', 'hdel', 'hgetall', 'hkeys', 'zadd', 'zrange', 'zcard'] as const),
] as const;

/** What the methods need of the connection they belong to. Holdfast calls one on an object that stands before a connection: nothing private. */
interface Sender {
  readonly options: RedisOptions;
  sendCommand(command: MemoryCommand): Promise<unknown>;
}

type Args = (string | number)[];

function send(sender: Sender, name: string, args: Args): Promise<unknown> {
  return sender.sendCommand(new MemoryCommand(name, args, sender.options));
}

class Methods extends EventEmitter {}

for (const name of names) {
  Object.defineProperty(Methods.prototype, name, {
    configurable: true,
    writable: true,
    value(this: Sender, ...args: Args) {
      return send(this, name, args);
    },
  });
}

Object.defineProperty(Methods.prototype, 'call', {
  configurable: true,
  writable: true,
  value(this: Sender, name: string, ...args: Args) {
    return send(this, name.toLowerCase(), args);
  },
});

/** To be extended by a class that is a {@link Sender}. */
export const CommandMethods = Methods as unknown as new () => EventEmitter &
  Pick<Redis, (typeof names)[number] | 'call'>;
