/** A command in memory beside one of ioredis. */
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Command } from 'ioredis';
import { MemoryCommand } from '../src/connection/memory-command.js';

const socket = {};
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom('', 'ключ', '🔒', '\r\n$3\r\nGET'));
const one = fc.oneof(text, fc.maxSafeInteger(), fc.double({ noNaN: true, max: 1e15, min: -1e15 }), fc.constant(null));
const names = [
  ...['ping', 'echo', 'info', 'select', 'client', 'script', 'wait', 'subscribe', 'ssubscribe', 'sunsubscribe'],
  ...['publish', 'spublish', 'get', 'set', 'del', 'unlink', 'exists', 'type', 'keys', 'scan', 'incr', 'pttl'],
  ...['pexpire', 'persist', 'hget', 'hset', 'hdel', 'hgetall', 'hkeys', 'zadd', 'zrange', 'zcard'],
];
const command = fc.oneof(
  fc.tuple(fc.constantFrom(...names), fc.array(one, { minLength: 1, maxLength: 5 })),
  fc
    .tuple(fc.constantFrom('eval', 'evalsha'), text, fc.array(text, { maxLength: 3 }), fc.array(one, { maxLength: 3 }))
    .map(([name, script, keys, args]) => [name, [script, keys.length, ...keys, ...args]] as const),
  fc.tuple(text, fc.dictionary(text, text, { minKeys: 1, maxKeys: 3 })).map((args) => ['hset', args] as const),
  fc
    .tuple(text, fc.dictionary(text, text, { minKeys: 1, maxKeys: 3 }))
    .map(([key, fields]) => ['hset', [key, new Map(Object.entries(fields))]] as const),
);

const bytes = (wire: string | Buffer) => Buffer.from(wire).toString('hex');

describe('a command in memory', () => {
  it('is written as ioredis writes the same one, with its prefix before the keys', () => {
    fc.assert(
      fc.property(command, fc.constantFrom('', 'app:'), ([name, args], keyPrefix) => {
        const theirs = new Command(name, [...args] as string[], { replyEncoding: 'utf8', keyPrefix });
        const ours = new MemoryCommand(name, args, { keyPrefix });
        expect(bytes(ours.toWritable(socket))).toBe(bytes(theirs.toWritable(socket)));
        expect(ours.args).toEqual(theirs.args);
      }),
    );
  });

  it.each(['hgetall', 'get', 'hkeys'])('answers as one of ioredis does: %s', async (name) => {
    const reply = ['a', '1', '__proto__', '2', 'constructor', '3'];
    const [theirs, ours] = [new Command(name, ['key'], { replyEncoding: 'utf8' }), new MemoryCommand(name, ['key'])];
    theirs.resolve(reply);
    ours.resolve(reply);
    await expect(ours.promise).resolves.toEqual(await theirs.promise);
  });
});
