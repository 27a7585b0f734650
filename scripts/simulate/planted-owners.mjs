// Planted for the judges of who a call is made for: scopes that end. Each as in planted.mjs.
const client = 'packages/holdfast/src';

export const plantedForOwners = [
  {
    name: 'what a run left open is free at once',
    ...{ with: 'left', class: 'calm', rules: ['scope'], file: `${client}/exclusive/loss.ts` },
    before: 'if (lock.tenure !== undefined) retune(lock, lock.tenure);',
    after: "void lock.tenure?.cancel('lost');\n  lock.tenure = undefined;",
  },
  {
    name: 'what a run left open is renewed',
    ...{ with: 'left', class: 'calm', rules: ['scope'], file: `${client}/exclusive/loss.ts` },
    before: 'if (lock.tenure !== undefined) retune(lock, lock.tenure);',
    after: 'void retune;',
  },
  {
    name: 'nobody is told of what a run left open',
    ...{ with: 'left', class: 'broken', rules: ['scope'], file: `${client}/exclusive/loss.ts` },
    before: '  reporter.leftOpen(record, record.lossError(), heldMs(record, now));',
    after: '',
  },
];
