import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Command, Redis } from 'ioredis';
import { commandClassOf, scriptCallOf } from '../src/connection/script-call.js';

const ScriptCall = scriptCallOf(Command);
const socket = {};
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom('', 'ключ', '🔒', '\r\n$3\r\nGET'),
);

describe('a script call', () => {
  it('is written as ioredis writes the same command', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('evalsha' as const, 'eval' as const),
        text,
        text,
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(text, fc.maxSafeInteger()), { maxLength: 8 }),
        (name, script, keyPrefix, keys, args) => {
          const prefixed = keys.map((key) => keyPrefix + key);
          const plain = new Command(name, [script, `${keys.length}`, ...prefixed, ...args.map(String)]);
          const call = new ScriptCall(name, script, { keys, keyPrefix }, args);
          expect(call.toWritable(socket)).toBe(plain.toWritable(socket));
        },
      ),
    );
  });

  it('shows the script and the lock in errors and traces, and no other argument', () => {
    const call = new ScriptCall('evalsha', 'sha', { keys: ['lock', 'queue'], keyPrefix: 'app:' }, ['tenure', 1]);
    expect(call.args).toEqual(['sha', '2', 'app:lock']);
  });

  it.each(['evalsha', 'eval'] as const)(
    'by %s is none of what a user lets ioredis change before it is sent',
    (name) => {
      const transformed: unknown[] = [];
      Command.setArgumentTransformer(name, (args) => {
        transformed.push(args);
        return args;
      });
      const call = new ScriptCall(name, 'script', { keys: ['lock'], keyPrefix: '' }, ['tenure']);
      expect([call.name, call.args, transformed]).toEqual([name, ['script', '1', 'lock'], []]);
    },
  );

  it('of a client of a derived class is made without its methods', () => {
    class Counted extends Redis {
      #pings = 0;
      override ping(): Promise<never> {
        return Promise.reject(new Error(`${++this.#pings} pings`));
      }
    }
    expect(commandClassOf(new Counted({ lazyConnect: true }))).toBe(Command);
  });
});
