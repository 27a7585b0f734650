// Planted for the judges of who else uses a server: writes through guards, strangers whose data has the name of a lock, later versions, forgers. Each as in planted.mjs.
const server = 'packages/memory/src/server/scripts';
const client = 'packages/holdfast/src';

export const plantedForCompany = [
  {
    name: 'a write under an older token is done',
    ...{ with: 'guard', class: 'broken', rules: ['guard'], file: `${server}/guard.ts` },
    before: 'if (mine < Number(token)) said =',
    after: 'if (mine < 0) said =',
  },
  {
    name: 'a late copy undoes the next write',
    ...{ with: 'guard', class: 'broken', rules: ['guard'], file: `${server}/guard.ts` },
    before: 'number <= Number(n)',
    after: 'number < 1',
  },
  {
    name: 'the second write of a holder is refused',
    ...{ with: 'guard', class: 'calm', rules: ['guard'], file: `${server}/guard.ts` },
    before: 'if (mine < Number(token))',
    after: 'if (mine < Number(token) || (mine === Number(token) && number > 1))',
  },
  {
    name: 'a write that was refused is said to be done',
    ...{ with: 'guard', class: 'broken', rules: ['guard'], file: `${client}/primitives/guard.ts` },
    before: "if (reply.kind !== 'stale') return;",
    after: "if (reply.kind !== 'never') return;",
  },
  {
    name: 'a hash of others is taken for a lock',
    ...{ with: 'stranger', class: 'calm', rules: ['stranger'], file: `${server}/owner.ts` },
    before: 'if (holder === undefined || !sound || !isOfItsKind || (size > SMALL && !mayBeLarge)) throw notALock();',
    after: '',
  },
  {
    name: 'who asks deletes what is no hash',
    ...{ with: 'stranger', class: 'calm', rules: ['stranger'], file: `${server}/owner.ts` },
    before: "throw refusal.message.includes('WRONGTYPE') ? notALock() : refusal;",
    after:
      "if (!refusal.message.includes('WRONGTYPE')) throw refusal;\n    redis.del(lock);\n    return { holder: undefined, fields: none };",
  },
  {
    name: 'a forced unlock deletes a record of others',
    ...{ with: 'stranger', class: 'calm', rules: ['stranger'], file: `${server}/force.ts` },
    before: "owner(redis, lock, '');",
    after:
      "JSON.stringify([...(redis.keys.find(lock)?.value ?? [])]).includes('Ada') ? { holder: undefined, fields: new Map() } : owner(redis, lock, '');",
  },
  {
    name: 'a free lock is said to be the data of others',
    ...{ with: 'stranger', class: 'broken', rules: ['stranger'], file: `${server}/owner.ts` },
    before: 'if (size === 0) return',
    after: "if (size === 0 && lock === 'parcel') throw notALock();\n    if (size === 0) return",
  },
  {
    name: 'a waiter whose entry says more is passed over',
    ...{ with: 'later', class: 'broken', rules: ['line', 'skipped'], file: `${server}/grant.ts` },
    before: '/^(\\d+) (\\d+)(?: |$)/',
    after: '/^(\\d+) (\\d+)$/',
  },
  {
    name: 'a grant that says more is not understood',
    ...{ with: 'later', class: 'calm', rules: ['message'], file: 'packages/notify/src/inbox-message.ts' },
    before: '  if (!areWords(more)) return undefined;\n  const grant',
    after: '  if (more.length > 0) return undefined;\n  const grant',
  },
  {
    name: 'every message asks',
    ...{ with: 'later', class: 'calm', rules: ['message'], file: `${client}/tenure/message-trust.ts` },
    before: 'return this.#looks++ < MOST_LOOKS;',
    after: 'return this.#looks++ >= 0;',
  },
  {
    name: 'a grant is believed however long it says that it lasts',
    ...{ with: 'later', class: 'calm', rules: ['exclusion', 'unexplained loss'], file: `${client}/tenure/messages.ts` },
    before: 'deadline - clock.now() <= settings.claimLeaseMs + CLOCK_GRAIN_MS',
    after: 'deadline > 0',
  },
  {
    name: 'a second grant is believed',
    ...{ with: 'later', class: 'calm', rules: ['exclusion'], file: `${client}/tenure/message-trust.ts` },
    before: '    this.#secret = false;\n    return believed;',
    after: '    return believed;',
  },
  {
    name: 'a loss is believed',
    ...{ with: 'later', class: 'calm', rules: ['unexplained loss'], file: `${client}/tenure/messages.ts` },
    before: '        this.trusted.force(this.#parts.clock.now());\n        this.look();',
    after: "        this.#tenure.lease.lose('force-unlocked');",
  },
];
