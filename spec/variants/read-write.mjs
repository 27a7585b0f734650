// Variants of spec/read-write.pml; the fields are explained in spec/variants.mjs.

const passing = [
  [
    'push',
    'NC=3 NO_REASK PHASES',
    'without a fault every waiter is served by messages alone, and the phases take turns',
    15_000,
    'quick',
  ],
  ['four-writers', 'NC=4 PHASES NO_REASK WRITERS_BELOW=3 READERS_ONLY_FROM=3', 'three writers and a reader', 40_000],
  ['four-readers', 'NC=4 PHASES NO_REASK WRITERS_BELOW=2 READERS_ONLY_FROM=2', 'two writers and two readers', 50_000],
  ['downgrade', 'NC=3 NO_REASK PHASES CHANGES=2', 'writers that go on as readers', 50_000, 'quick'],
  ['giveup', 'NC=3 NO_REASK PHASES GIVE_UPS=1', 'a caller that gives up at any point', 150_000],
  ['giveup-downgrade', 'NC=3 PHASES GIVE_UPS=1 CHANGES=1', 'the same with a downgrade', 400_000],
  ['phases-expiry', 'NC=3 PHASES EXPIRATIONS=1 CHANGES=1', 'a lease that runs out early: phases all the same', 600_000],
  [
    'break',
    'NC=3 BREAKS=1 CHANGES=1',
    'a connection breaks: every unanswered command is sent twice, the first copy may come last',
    600_000,
  ],
  ['break-twice', 'NC=2 BREAKS=2 CHANGES=1', 'and breaks again', 70_000, 'quick'],
  [
    'break-expiry-downgrade',
    'NC=2 BREAKS=1 EXPIRATIONS=2 CHANGES=1',
    'a break, leases that run out early, a downgrade',
    500_000,
  ],
  ['renewals', 'NC=2 RENEWALS=2 BREAKS=1 EXPIRATIONS=1', 'renewals, late ones too', 400_000],
  ['message', 'NC=3 LOST_MESSAGES=1 EXPIRATIONS=1 CHANGES=1', 'a message is lost', 800_000],
  [
    'crash',
    'NC=3 CRASHES=1 CHANGES=1 PHASES',
    'a process dies: the rest of its own lease is waited for',
    90_000,
    'quick',
  ],
  ['stale', 'NC=3 STALE=1 EARLY_ASKS=1', 'entries of the queues are too old to be served', 120_000],
  ['force', 'NC=3 FORCES=1 NO_REASK', 'a forced unlock, by message', 220_000],
  ['break-expiry', 'NC=3 BREAKS=1 EXPIRATIONS=1', 'three processes, a break, a lease that runs out early', 3_000_000],
];

const failing = [
  [
    'readers-join',
    'NC=3 NO_REASK READERS_JOIN',
    'joined_past_writer',
    'readers come in past a writer that waits',
    5_000,
    'quick',
  ],
  [
    'writers-first',
    'NC=3 TENURES=2 PHASES WRITERS_FIRST WRITERS_BELOW=2 READERS_ONLY_FROM=2',
    'starved_reader',
    'a limit of `writersFirst`: readers may starve',
    15_000,
  ],
  [
    'arrival',
    'NC=4 PHASES ARRIVAL WRITERS_BELOW=3 READERS_ONLY_FROM=3',
    'starved_reader',
    'whoever came first is next: a reader sees many writers go by',
    20_000,
  ],
  ['one-reader', 'NC=3 NO_REASK ONE_READER', 'waits_in_vain', 'one reader is let in at a time', 5_000],
  [
    'cancel-silent',
    'NC=3 NO_REASK CANCEL_SILENT GIVE_UPS=1',
    'waits_in_vain',
    'a writer that gives up serves nobody',
    20_000,
  ],
  ['leave-silent', 'NC=3 NO_REASK LEAVE_SILENT', 'waits_in_vain', 'the release of a reader serves nobody', 1_000],
  [
    'sweeps-silently',
    'NC=3 EXPIRATIONS=1 SWEEPS_SILENTLY CHANGES=1',
    'waits_in_vain',
    'leases that have run out are taken out, and nobody is served',
    30_000,
  ],
  [
    'downgrade-silent',
    'NC=3 NO_REASK DOWNGRADE_SILENT CHANGES=1',
    'waits_in_vain',
    'a downgrade lets no readers in',
    1_000,
  ],
  [
    'downgrade-blind',
    'NC=2 TENURES=2 DOWNGRADE_BLIND CHANGES=1 EXPIRATIONS=1 QUIET',
    'two_believers',
    'a late downgrade takes the lock again',
    100_000,
    'quick',
  ],
  [
    'one-lease',
    'NC=3 ONE_LEASE EXPIRATIONS=1 QUIET',
    'two_believers',
    'one lease for all readers: the first that ends takes the others out',
    20_000,
    'quick',
  ],
  [
    'no-sweep',
    'NC=3 NO_SWEEP CRASHES=1 EXPIRATIONS=1',
    'two_believers',
    'a lease that has run out is answered with `mine`',
    1_000,
  ],
  ['no-tombstone', 'NC=2 NO_TOMBSTONE BREAKS=1', 'ghost', 'a late copy of an ask takes the lock for nobody', 1_000],
  [
    'renewal-writes',
    'NC=2 RENEWAL_WRITES RENEWALS=1 EXPIRATIONS=1 BREAKS=1',
    'ghost',
    'a late renewal takes the lock for a hold that is over',
    3_000,
    'quick',
  ],
  ['blind', 'NC=2 TENURES=2 BLIND EXPIRATIONS=1', 'two_believers', 'a grant is dated by its arrival', 50_000],
];

const heavy = 100_000;
const named = (rest) => (name, set) => ({ name: `read-write-${name}`, model: 'read-write', set, ...rest });

export const readWrite = [
  ...passing.map(([name, set, because, states, quick]) =>
    named({ because, states, quick: quick !== undefined, heavy: states > heavy })(name, set),
  ),
  ...failing.map(([name, set, fails, because, states, quick]) =>
    named({ fails, because, states, quick: quick !== undefined })(name, set),
  ),
];
