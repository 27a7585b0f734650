import { describe, expect, it } from '@jest/globals';
import { runBundled } from './bundled.js';

/** See turns.script.ts. World time: the same on every machine. */
const market = {
  seed: 1,
  processes: 6,
  tasks: 2,
  sectionMs: 1,
  computeMs: 0,
  delays: { least: 0.4, most: 0.6 },
  lastsMs: 3_000,
  stallMs: 0,
};

async function shares(changes: Partial<typeof market>): Promise<{ fairness: number; used: number }> {
  const { sections, used } = JSON.parse(await runBundled('turns', [JSON.stringify({ ...market, ...changes })])) as {
    sections: number[];
    used: number;
  };
  return { fairness: Math.min(...sections) / Math.max(...sections), used };
}

describe('processes that all want one lock, with two tasks each', () => {
  it.each([
    ['sections of a round trip', {}],
    ['sections of two round trips', { seed: 2, sectionMs: 2 }],
    ['sections of a tenth of one', { seed: 3, processes: 3, sectionMs: 0.1, lastsMs: 2_000 }],
  ])('get equal turns, and keep the lock in use: %s', async (_, changes) => {
    const { fairness, used } = await shares(changes);
    expect(fairness).toBeGreaterThanOrEqual(0.95);
    expect(used).toBeGreaterThanOrEqual(0.88);
  });

  it('get equal turns when they measure round trips that differ by a factor of two', async () => {
    const { fairness } = await shares({ seed: 2, computeMs: 0.2, lastsMs: 6_000 });
    expect(fairness).toBeGreaterThanOrEqual(0.95);
  });

  it('get equal turns after the server has stood still for four seconds', async () => {
    const { fairness } = await shares({ seed: 4, stallMs: 4_000 });
    expect(fairness).toBeGreaterThanOrEqual(0.95);
  });
});
