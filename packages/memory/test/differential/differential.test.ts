/**
 * The memory server against a real one, once by its rules and once with the Lua scripts: the same script calls, the same commands of others, the same
 * refusals, in random stories. After each step the replies as they come over the wire, what was published, and every key are compared.
 *
 * HOLDFAST_PROOF=long tells many more stories. A failure prints its seed and path: see `proofRuns` for how to repeat it.
 */
import { findBinary, proofRuns, type RedisServer, startPrivateRedis } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { luaScripts } from '../../src/lua/index.js';
import { planted } from './planted-bugs.js';
import { edges } from './edges.js';
import { ELECTION_CHANNEL, FENCED_KEYS, FENCED_REPLIES, fencedStories } from './fenced-story.js';
import { LATCH_CHANNELS, LATCH_KEYS, LATCH_REPLIES, latchStories } from './latch-story.js';
import { PERMITS_CHANNELS, PERMITS_KEYS, PERMITS_REPLIES, permitsStories } from './permits-story.js';
import { MemorySide, RealSide } from './sides.js';
import { READ_WRITE_CHANNELS, READ_WRITE_KEYS, READ_WRITE_REPLIES, readWriteStories } from './read-write-story.js';
import { CHANNELS, KEYS, stories } from './story.js';
import { difference } from './telling.js';

/** The server of all other tests, and Valkey beside it where this machine has both. */
const found = findBinary({ PATH: process.env['PATH'], REDIS_SERVER: process.env['REDIS_SERVER'] });
const servers = [
  { title: 'the server of the tests', file: undefined },
  ...(process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => `${folder}/valkey-server`)
    .filter((file) => file !== found?.file && isServer(file))
    .slice(0, 1)
    .map((file) => ({ title: 'Valkey', file })),
];

const lua = luaScripts();

describe.each(servers)('the memory server does what $title does', ({ file }) => {
  const { parameters, timeoutMs } = proofRuns({ quick: 100, long: 10_000 });
  let server: RedisServer;
  let real: RealSide;

  beforeAll(async () => {
    // Fields of a hash keep their order, as they do in memory.
    const small = ['--hash-max-listpack-entries', '100000', '--hash-max-listpack-value', '1000'];
    const args = [...small, '--maxmemory-policy', 'noeviction'];
    server = await startPrivateRedis(file === undefined ? { args } : { args, server: file });
    real = await RealSide.open(server, [
      ...CHANNELS,
      ...READ_WRITE_CHANNELS,
      ...LATCH_CHANNELS,
      ...PERMITS_CHANNELS,
      ELECTION_CHANNEL,
    ]);
  });
  afterAll(async () => {
    real.close();
    await server.stop();
  });

  it(
    'in every script, for whatever stands under its keys, and in every refusal',
    async () => {
      const seen = new Set<string>();
      let told = 0;
      const property = fc.asyncProperty(stories, async (story) => {
        const others = () => inMemory(CHANNELS);
        expect(await difference(story, KEYS, { real, others }, seen)).toBeUndefined();
        told++;
      });
      await fc.assert(property, parameters);
      if (told >= parameters.numRuns) expect(EVERY_REPLY.filter((reply) => !seen.has(reply))).toEqual([]);
    },
    timeoutMs,
  );

  const readWriteRuns = proofRuns({ quick: 60, long: 10_000 });
  it(
    'in every script of the read-write lock',
    async () => {
      const seen = new Set<string>();
      let told = 0;
      const property = fc.asyncProperty(readWriteStories, async (story) => {
        const others = () => inMemory([...CHANNELS, ...READ_WRITE_CHANNELS]);
        expect(await difference(story, READ_WRITE_KEYS, { real, others }, seen)).toBeUndefined();
        told++;
      });
      await fc.assert(property, readWriteRuns.parameters);
      if (told >= readWriteRuns.parameters.numRuns)
        expect(READ_WRITE_REPLIES.filter((reply) => !seen.has(reply))).toEqual([]);
    },
    readWriteRuns.timeoutMs,
  );

  const permitsRuns = proofRuns({ quick: 80, long: 10_000 });
  it(
    'in every script of the semaphore',
    async () => {
      const seen = new Set<string>();
      let told = 0;
      const property = fc.asyncProperty(permitsStories, async (story) => {
        const others = () => inMemory([...CHANNELS, ...PERMITS_CHANNELS]);
        expect(await difference(story, PERMITS_KEYS, { real, others }, seen)).toBeUndefined();
        told++;
      });
      await fc.assert(property, permitsRuns.parameters);
      if (told >= permitsRuns.parameters.numRuns)
        expect(PERMITS_REPLIES.filter((reply) => !seen.has(reply))).toEqual([]);
    },
    permitsRuns.timeoutMs,
  );

  const fencedRuns = proofRuns({ quick: 40, long: 10_000 });
  it(
    'in every script of the fenced lock, whatever becomes of the counter of tokens',
    async () => {
      const seen = new Set<string>();
      let told = 0;
      const property = fc.asyncProperty(fencedStories, async (story) => {
        const others = () => inMemory([...CHANNELS, ELECTION_CHANNEL]);
        expect(await difference(story, FENCED_KEYS, { real, others }, seen)).toBeUndefined();
        told++;
      });
      await fc.assert(property, fencedRuns.parameters);
      if (told >= fencedRuns.parameters.numRuns) expect(FENCED_REPLIES.filter((reply) => !seen.has(reply))).toEqual([]);
    },
    fencedRuns.timeoutMs,
  );

  const latchRuns = proofRuns({ quick: 60, long: 10_000 });
  it(
    'in every script of the countdown latch',
    async () => {
      const seen = new Set<string>();
      let told = 0;
      const property = fc.asyncProperty(latchStories, async (story) => {
        const others = () => inMemory(LATCH_CHANNELS);
        expect(await difference(story, LATCH_KEYS, { real, others }, seen)).toBeUndefined();
        told++;
      });
      await fc.assert(property, latchRuns.parameters);
      if (told >= latchRuns.parameters.numRuns) expect(LATCH_REPLIES.filter((reply) => !seen.has(reply))).toEqual([]);
    },
    latchRuns.timeoutMs,
  );

  it.each(edges)('at the ends of what can be counted: $title', async ({ story, keys, channels }) => {
    const others = () => inMemory([...CHANNELS, ...channels]);
    expect(await difference([...story], keys, { real, others })).toBeUndefined();
  });

  it.each(planted)(
    'or the stories find it out: $bug',
    async ({ options, plant }) => {
      const others = () => {
        const memory = new MemorySide(CHANNELS, options);
        plant?.(memory.server);
        return [memory];
      };
      const property = fc.asyncProperty(
        stories,
        async (story) => (await difference(story, KEYS, { real, others })) === undefined,
      );
      // Nothing is made smaller here, which would need time of its own: a slow machine tells the stories until its time is over, and not half of them.
      const untilFound = { ...parameters, endOnFailure: true, interruptAfterTimeLimit: timeoutMs };
      const { failed } = await fc.check(property, untilFound);
      expect(failed).toBe(true);
    },
    timeoutMs,
  );
});

/** By its rules, and with the scripts themselves. */
const inMemory = (channels: readonly string[]): MemorySide[] => [
  new MemorySide(channels),
  new MemorySide(channels, { scripts: lua }),
];

function isServer(file: string): boolean {
  try {
    return findBinary({ REDIS_SERVER: file }) !== undefined;
  } catch {
    return false;
  }
}

const EVERY_REPLY = [
  ...['acquired', 'mine', 'wait', 'busy', 'dead', 'NOTALOCK', 'WRONGTYPE', 'OOM', 'READONLY', 'ERR'].map(
    (kind) => `ask ${kind}`,
  ),
  ...['acquired', 'mine', 'wait', 'busy', 'dead'].map((kind) => `asks ${kind}`),
  ...['acquired', 'mine', 'wait', 'busy', 'dead', 'OOM', 'READONLY'].map((kind) => `reasks ${kind}`),
  ...['held', 'lost', 'OOM', 'READONLY', 'ERR'].map((kind) => `again ${kind}`),
  ...['passed', 'lost', 'READONLY', 'ERR'].map((kind) => `handoff ${kind}`),
  ...['held', 'granted', 'released', 'unserved', 'notHeld', 'READONLY', 'ERR'].map((kind) => `release ${kind}`),
  ...['held', 'granted', 'released', 'notHeld'].map((kind) => `releases ${kind}`),
  ...['resting', 'held', 'notHeld', 'READONLY', 'ERR'].map((kind) => `rest ${kind}`),
  ...['cancelled', 'READONLY', 'ERR'].map((kind) => `cancel ${kind}`),
  ...['forced', 'NOTALOCK', 'READONLY', 'ERR'].map((kind) => `force ${kind}`),
  ...['renewed', 'held', 'lost', 'refused'].map((kind) => `renew ${kind}`),
  ...['served'].map((kind) => `serve ${kind}`),
  ...['NOTALOCK'].map((kind) => `peek ${kind}`),
  ...['NOTALOCK'].map((kind) => `inspect ${kind}`),
];
