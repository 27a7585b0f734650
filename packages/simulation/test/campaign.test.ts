import { beforeAll, describe, expect, it } from '@jest/globals';
import { otherKinds } from '../src/campaign/orders.js';
import type { ScenarioClass } from '../src/index.js';
import { runBundled } from './bundled.js';
import type { Order } from './campaign.script.js';

/** For all orders, on a machine that is busy elsewhere. */
const PATIENCE_MS = 600_000;

const orders: Order[] = [];
let results: { holds: number }[] = [];

/** All orders are run at once, before the first test. */
function judging(order: Partial<Order>): () => number {
  const place = orders.push({ kind: 'broken', beside: 'any', worlds: 4, scripts: 'rules', ...order }) - 1;
  return () => {
    const { holds, ...violated } = results[place] ?? { holds: 0 };
    expect(violated).toEqual({});
    return holds;
  };
}

beforeAll(async () => {
  results = JSON.parse(await runBundled('campaign', [JSON.stringify(orders)])) as typeof results;
}, PATIENCE_MS);

describe.each<ScenarioClass>(['calm', 'broken', 'taken'])('in a %s world', (kind) => {
  const judged = judging({ kind });
  it('no promise is broken', () => expect(judged()).toBeGreaterThan(500));
});

describe('on servers that execute the Lua scripts', () => {
  const judged = judging({ scripts: 'lua' });
  it('no promise is broken', () => expect(judged()).toBeGreaterThan(500));
});

describe.each(otherKinds)('with %s beside a lock', (beside) => {
  const judged = judging({ beside, worlds: 2 });
  it('no promise is broken by faults', () => expect(judged()).toBeGreaterThan(100));
});

describe('in a world of each temper', () => {
  const judged = judging({ kind: 'each temper', worlds: 1 });
  it('no promise is broken', () => expect(judged()).toBeGreaterThan(1_000));
});
