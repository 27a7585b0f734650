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
    before: 'freshness !== undefined && freshness.untilMs >= nowMs && !isGone(redis, head, trust);',
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
  {
    name: 'a process passes a lock on among its tasks for ever',
    ...{ temper: 'turns', rules: ['turn'], file: `${client}/exclusive/handoff-rule.ts` },
    before: 'if (tenure.otherWaiters.count === 0 && !parts.wakeup.blind) return true;',
    after: 'if (!parts.wakeup.blind) return true;',
  },
  {
    name: 'who waits for its own process waits beyond its time',
    ...{ temper: 'stalls', rules: ['late'], file: `${client}/exclusive/expiry.ts` },
    before: '  if (waiter.delivering) return;\n  // What',
    after: '  if (waiter.delivering || !lock.holds.isEmpty) return;\n  // What',
  },
  {
    name: 'a hold is believed for a moment longer than its lease',
    ...{ temper: 'leases', class: 'calm', rules: ['lease'], file: 'packages/watchdog/src/watched-lease.ts' },
    before: 'return this.check() ? Math.max(0, this.deadline - this.#keeper.clock.now()) : 0;',
    after: 'return this.check() ? Math.max(0, this.deadline + 20 - this.#keeper.clock.now()) : 0;',
  },
  {
    name: 'a reader joins past a writer that waits',
    ...{ temper: 'readers', class: 'calm', rules: ['order'], file: `${client}/read-write/shared-coordinator.ts` },
    before: 'return !writerWaits && lease.check()',
    after: 'return (!writerWaits || tenure.held) && lease.check()',
  },
  {
    name: 'the call of a process that came last is served first',
    ...{ temper: 'turns', rules: ['order'], file: `${client}/waiting/wait-queue.ts` },
    before: '  /** A call asked for one attempt only. */',
    after:
      '  override get first(): Waiter | undefined {\n    return [...this].at(-1);\n  }\n\n  /** A call asked for one attempt only. */',
  },
  {
    name: 'a value is put by who does not own the lock',
    ...{ temper: 'pauses', with: 'share', rules: ['share'], file: `${server}/share.ts` },
    before: "if (owner(redis, lock, tenure).holder !== tenure) return ['lost', question];",
    after: "if (owner(redis, lock, tenure).holder === '') return ['lost', question];",
  },
];
