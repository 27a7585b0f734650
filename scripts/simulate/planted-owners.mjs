// Planted for the judges of who a call is made for: scopes that end, explicit owners, calls that wait for each other. Each as in planted.mjs.
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
  {
    name: 'an owner waits for its own hold',
    ...{ with: 'owners', class: 'calm', rules: ['reentry'], file: `${client}/exclusive/reentry.ts` },
    before: 'return innermost.owner === request.owner;',
    after: 'return false;',
  },
  {
    name: 'an owner lets scopes in',
    ...{ with: 'owners', class: 'calm', rules: ['exclusion', 'token'], file: `${client}/exclusive/reentry.ts` },
    before: '  return scopesAround(request.scope).some(({ holds }) => holds.has(innermost));',
    after:
      '  return innermost.owner !== undefined || scopesAround(request.scope).some(({ holds }) => holds.has(innermost));',
  },
  {
    name: 'who closes a circle waits',
    ...{ with: 'circle', class: 'calm', rules: ['deadlock'], file: `${client}/waiting/deadlock.ts` },
    before: 'if (!isRefused) return',
    after: 'if (isRefused || !isRefused) return',
  },
  {
    name: 'circles of three are not seen',
    ...{ with: 'circle', class: 'calm', rules: ['deadlock'], file: `${client}/waiting/deadlock.ts` },
    before: '        links.push({ hold, by: other, next: link });',
    after: '',
  },
  {
    name: 'a reader behind a writer waits for nobody',
    ...{ with: 'circle', class: 'calm', rules: ['deadlock'], file: `${client}/read-write/shared-coordinator.ts` },
    before: '    return lane.policy.behind;\n',
    after: '    return undefined;\n',
  },
  {
    name: 'a lease that ends closes a circle',
    ...{ with: 'circle', class: 'calm', rules: ['deadlock'], file: `${client}/waiting/deadlock.ts` },
    before: " && terms.mode === 'watched';",
    after: ';',
  },
];
