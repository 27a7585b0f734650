import { describe, expect, it } from '@jest/globals';
import { otherKinds } from '../src/campaign/orders.js';
import type { OtherKind, ScenarioClass, Scripts } from '../src/index.js';
import { runBundled } from './bundled.js';

/** On a machine that is busy elsewhere. */
const PATIENCE_MS = 120_000;

async function judged(
  kind: ScenarioClass | 'each temper',
  beside: OtherKind | 'any',
  worlds: number,
  scripts: Scripts = 'rules',
) {
  const said = await runBundled('campaign', [kind, beside, 20_261, worlds, scripts]);
  const { holds, ...violated } = JSON.parse(said) as { holds: number };
  expect(violated).toEqual({});
  return holds;
}

describe.each<ScenarioClass>(['calm', 'broken', 'taken'])('in a %s world', (kind) => {
  it(
    'no promise is broken',
    async () => {
      expect(await judged(kind, 'any', 4)).toBeGreaterThan(500);
    },
    PATIENCE_MS,
  );
});

describe('on servers that execute the Lua scripts', () => {
  it(
    'no promise is broken',
    async () => {
      expect(await judged('broken', 'any', 4, 'lua')).toBeGreaterThan(500);
    },
    PATIENCE_MS,
  );
});

describe.each(otherKinds)('with %s beside a lock', (beside) => {
  it(
    'no promise is broken by faults',
    async () => {
      expect(await judged('broken', beside, 2)).toBeGreaterThan(100);
    },
    PATIENCE_MS,
  );
});

describe('in a world of each temper', () => {
  it(
    'no promise is broken',
    async () => {
      expect(await judged('each temper', 'any', 1)).toBeGreaterThan(1_000);
    },
    PATIENCE_MS,
  );
});
