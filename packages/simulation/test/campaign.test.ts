import { describe, expect, it } from '@jest/globals';
import type { ScenarioClass } from '../src/index.js';
import { runBundled } from './bundled.js';

/** Real time for the worlds of one test. Fixed ones come first, and then new ones until the time is over. */
const LONG_MS = 1_000;
const FIXED = 6;

describe.each<ScenarioClass>(['calm', 'broken', 'taken'])('in a %s world', (kind) => {
  it('no promise is broken', async () => {
    const fresh = Math.floor(Math.random() * 2 ** 31);
    const { holds, ...violated } = JSON.parse(await runBundled('campaign', [kind, fresh, FIXED, LONG_MS])) as {
      holds: number;
    };
    expect(violated).toEqual({});
    expect(holds).toBeGreaterThan(1_000);
  });
});
