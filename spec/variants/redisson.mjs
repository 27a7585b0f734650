// Variants of spec/redisson.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'broadcast',
    set: 'NC=3 JAVA=1 NO_TIMER',
    because: 'without a fault everybody is woken by messages alone, Java too',
    states: 20_000,
    quick: true,
  },
  {
    name: 'broadcast-more',
    set: 'NC=3 HOLDS=2 NO_TIMER',
    because: 'the same among our own, twice each',
    states: 600_000,
    heavy: true,
  },
  {
    name: 'broadcast-give-up',
    set: 'NC=3 JAVA=1 NO_TIMER GIVE_UPS=1',
    because: 'a caller gives up at any point; a lock that reaches it late is told to the others',
    states: 200_000,
    quick: true,
  },
  {
    name: 'broadcast-gap',
    set: 'NC=3 JAVA=1 NO_TIMER SUBSCRIBER_LOSSES=2',
    because: 'a subscription that was away makes its waiter look',
    states: 200_000,
  },
  { name: 'broadcast-lost', set: 'NC=2 JAVA=1 HOLDS=2 LOST_MESSAGES=2', because: 'lost messages', states: 200_000 },
  {
    name: 'broadcast-break',
    set: 'NC=2 JAVA=1 HOLDS=2 BREAKS=2 EARLY_ASKS=1',
    because: 'copies of our commands',
    states: 500_000,
  },
  {
    name: 'broadcast-break-three',
    set: 'NC=3 BREAKS=1 GIVE_UPS=1',
    because: 'copies of our commands, and a caller that gives up',
    states: 2_000_000,
    heavy: true,
  },
  {
    name: 'broadcast-expiry',
    set: 'NC=3 JAVA=1 EXPIRATIONS=2 GIVE_UPS=1',
    because: 'leases of ours that run out early',
    states: 2_000_000,
    heavy: true,
  },
  { name: 'broadcast-crash', set: 'NC=3 JAVA=1 CRASHES=1', because: 'a process dies', states: 100_000, quick: true },
];

const failing = [
  {
    name: 'no-recheck',
    set: 'NC=2 NO_TIMER NO_RECHECK',
    fails: 'lost_wake_up',
    because: 'the release fell between the first try and the subscription',
    states: 5_000,
    quick: true,
  },
  {
    name: 'no-look-on-gap',
    set: 'NC=2 NO_TIMER SUBSCRIBER_LOSSES=1 NO_LOOK_ON_GAP',
    fails: 'lost_wake_up',
    because: 'the release fell into the gap of a subscription',
    states: 5_000,
    quick: true,
  },
  {
    name: 'deaf-while-asking',
    set: 'NC=2 HOLDS=2 NO_TIMER DEAF_WHILE_ASKING',
    fails: 'lost_wake_up',
    because: 'the message came while an older question was unanswered',
    states: 50_000,
  },
  {
    name: 'silent-release',
    set: 'NC=2 JAVA=1 NO_TIMER SILENT_RELEASE',
    fails: 'lost_wake_up',
    because: 'a release that tells nobody',
    states: 5_000,
  },
  {
    name: 'silent-cancel',
    set: 'NC=3 JAVA=1 NO_TIMER GIVE_UPS=1 SILENT_CANCEL',
    fails: 'lost_wake_up',
    because: 'a lock that reached a caller too late is freed, and nobody told',
    states: 50_000,
  },
  {
    name: 'messages-only-lost',
    set: 'NC=2 NO_TIMER LOST_MESSAGES=1',
    fails: 'lost_wake_up',
    because: 'a waiter that trusts messages sleeps for ever behind a lost one',
    states: 5_000,
  },
  {
    name: 'messages-only-crash',
    set: 'NC=2 NO_TIMER CRASHES=1',
    fails: 'lost_wake_up',
    because: 'and behind a crash, which tells nobody',
    states: 5_000,
  },
  {
    name: 'broadcast-no-tombstone',
    set: 'NC=2 BREAKS=1 NO_TOMBSTONE',
    fails: 'ghost',
    because: 'a copy of an ask takes the lock for nobody',
    states: 50_000,
  },
  {
    name: 'java-stalls',
    set: 'NC=2 JAVA=1 EXPIRATIONS=1 JAVA_STALLS',
    fails: 'two_believers',
    because: 'a limit of Redisson: its holder does not know that its lease has run out',
    states: 50_000,
    quick: true,
  },
];

export const redisson = [...passing, ...failing].map((variant) => ({ model: 'redisson', ...variant }));
