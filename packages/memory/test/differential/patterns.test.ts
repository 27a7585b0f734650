/** Patterns in memory beside those of a real server: the same keys, in KEYS and in SCAN. */
import { proofRuns, type RedisServer, startPrivateRedis } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Redis } from 'ioredis';
import { direct, memoryRedis, MemoryServer } from '../../src/index.js';

/** Few letters, so that many patterns mean some key; `ü` has two bytes, `Z` stands before `^`, `a` behind it. */
const letters = (...more: string[]) =>
  fc.string({
    unit: fc.constantFrom('a', 'b', 'z', 'Z', '-', '^', ']', '\\', 'ü', ...more),
    minLength: 1,
    maxLength: 8,
  });
const keyNames = fc.uniqueArray(letters('[', '*'), { minLength: 1, maxLength: 40 });
/** Ranges that end beyond ASCII are left out: what they mean depends on the processor, whose bytes have signs or have none. */
const anyPattern = letters('[', '[', '*', '?').filter((text) => !/ü-|-ü/.test(text));
const patterns = fc.array(anyPattern, { minLength: 1, maxLength: 40 });
/** Those that were read otherwise once, or that a translation into a regular expression would refuse. */
const known = [
  '[z-a]*',
  '[a\\]b]',
  '[a-]',
  '[a-]]',
  '[^',
  '[^]',
  '[',
  '[]a]',
  '[\\',
  '[a-\\]b]',
  '[\\a-z]',
  'a**',
  '\\',
  '??',
  '[ü]',
];

describe('a pattern means in memory', () => {
  const { parameters, timeoutMs } = proofRuns({ quick: 30, long: 3_000 });
  let server: RedisServer;
  let real: Redis;

  beforeAll(async () => {
    server = await startPrivateRedis();
    real = await server.admin();
  });
  afterAll(() => server.stop());

  it(
    'the keys that it means in Redis',
    async () => {
      const memory = memoryRedis({
        network: direct(() => new MemoryServer({ now: () => 1_700_000_000_000 })),
        timers: { setTimer: setTimeout, clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout) },
      });
      const found = async (redis: Redis, pattern: string) => {
        const [, scanned] = await redis.scan('0', 'MATCH', pattern, 'COUNT', '1000');
        return [(await redis.keys(pattern)).toSorted(), scanned.toSorted()];
      };
      const property = fc.asyncProperty(keyNames, patterns, async (keys, wanted) => {
        for (const redis of [real, memory]) {
          await redis.flushall();
          await Promise.all(keys.map((key) => redis.set(key, '1')));
        }
        for (const pattern of [...wanted, ...known]) {
          expect([pattern, ...(await found(memory, pattern))]).toEqual([pattern, ...(await found(real, pattern))]);
        }
      });
      await fc.assert(property, parameters);
      memory.disconnect();
    },
    timeoutMs,
  );
});
