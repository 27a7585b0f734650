import { describe, expect, it } from '@jest/globals';
import { inMacrotask, runScenario, scenarioOf, type ScenarioClass } from '../src/index.js';

/** Real time for the runs of one test. They are fixed first, and then new ones until the time is over. */
const LONG_MS = 8_000;
const FIXED = 25;

describe.each<ScenarioClass>(['calm', 'broken', 'taken'])('in a %s world', (kind) => {
  it('no promise is broken', async () => {
    const fresh = Math.floor(Math.random() * 2 ** 31);
    const startedAt = performance.now();
    let holds = 0;
    for (let run = 0; run < FIXED || performance.now() - startedAt < LONG_MS; run++) {
      const seed = run < FIXED ? 20_261 + run : fresh + run;
      const { violation, counts } = await inMacrotask(() => runScenario(scenarioOf(seed, kind)));
      holds += counts.holds;
      expect({ again: `npm run simulate -- --show ${seed} --class ${kind}`, violation }).toMatchObject({
        violation: undefined,
      });
    }
    expect(holds).toBeGreaterThan(1_000);
  });
});
