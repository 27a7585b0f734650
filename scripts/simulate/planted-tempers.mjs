// Planted for the judges of what servers keep and of limits, in worlds of a temper. Each as in planted.mjs; `temper` in place of `with`.
const server = 'packages/memory/src/server/scripts';
const client = 'packages/holdfast/src';

export const plantedForTempers = [
  {
    name: 'a copy of a nested call counts',
    ...{ temper: 'copies', rules: ['record'], file: `${server}/again.ts` },
    before: "if (seq <= last) return ['held', count, remainingMs, question];",
    after: '',
  },
  {
    name: 'a renewal is of whoever has the lock',
    ...{ temper: 'leases', rules: ['record'], file: `${server}/renew.ts` },
    before: 'if (!owns) return',
    after: 'if (!owns && remainingMs === -2) return',
  },
  {
    name: 'who is gone is given the lock',
    ...{ temper: 'stalls', rules: ['line'], file: `${server}/grant.ts` },
    before: 'freshness !== undefined && freshness.untilMs >= nowMs;',
    after: 'freshness !== undefined;',
  },
  {
    name: 'a waiter is given the lock for its whole lease',
    ...{ temper: 'turns', rules: ['line'], file: `${server}/grant.ts` },
    before: 'Math.min(claimMs, freshness.wantedMs)',
    after: 'Math.max(claimMs, freshness.wantedMs)',
  },
  {
    name: 'one level more than the limit',
    ...{ temper: 'limits', rules: ['limit'], file: `${client}/waiting/limits.ts` },
    before: 'return depth >= this.#most.depth;',
    after: 'return depth > this.#most.depth;',
  },
];
