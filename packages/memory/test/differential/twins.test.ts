/** The rules of the memory server beside the Lua of the scripts, both in memory: see `twins.ts`. */
import { proofRuns } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { luaScripts } from '../../src/lua/index.js';
import { edges } from './edges.js';
import { ELECTION_CHANNEL, FENCED_KEYS, fencedStories } from './fenced-story.js';
import { LATCH_CHANNELS, LATCH_KEYS, latchStories } from './latch-story.js';
import { PERMITS_CHANNELS, PERMITS_KEYS, permitsStories } from './permits-story.js';
import { READ_WRITE_CHANNELS, READ_WRITE_KEYS, readWriteStories } from './read-write-story.js';
import { MemorySide } from './sides.js';
import { CHANNELS, KEYS, stories } from './story.js';
import { parted } from './twins.js';

const lua = luaScripts();
const chances = fc.array(fc.nat(), { minLength: 30, maxLength: 30 });

describe('the rules do what the Lua does, whichever command is refused, and to the millisecond', () => {
  const few = proofRuns({ quick: 15, long: 10_000 });
  const many = proofRuns({ quick: 30, long: 10_000 });

  it.each([
    { of: 'the lock', runs: few, told: stories, keys: KEYS, channels: CHANNELS },
    {
      of: 'the read-write lock',
      runs: few,
      told: readWriteStories,
      keys: READ_WRITE_KEYS,
      channels: READ_WRITE_CHANNELS,
    },
    { of: 'the semaphore', runs: many, told: permitsStories, keys: PERMITS_KEYS, channels: PERMITS_CHANNELS },
    { of: 'the fenced lock', runs: few, told: fencedStories, keys: FENCED_KEYS, channels: [ELECTION_CHANNEL] },
    { of: 'the countdown latch', runs: many, told: latchStories, keys: LATCH_KEYS, channels: LATCH_CHANNELS },
  ])(
    'in every script of $of',
    async ({ runs, told, keys, channels }) => {
      const heard = [...new Set([...CHANNELS, ...channels])];
      const property = fc.asyncProperty(told, chances, async (story, own) => {
        const twins = { rules: new MemorySide(heard), lua: new MemorySide(heard, { scripts: lua }) };
        expect(await parted(story, keys, own, twins)).toBeUndefined();
      });
      await fc.assert(property, runs.parameters);
    },
    few.timeoutMs,
  );

  it.each(edges)('at the ends of what can be counted: $title', async ({ story, keys, channels }) => {
    const heard = [...new Set([...CHANNELS, ...channels])];
    const twins = { rules: new MemorySide(heard), lua: new MemorySide(heard, { scripts: lua }) };
    expect(await parted(story, keys, [1], twins)).toBeUndefined();
  });
});
