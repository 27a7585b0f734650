// Variants of spec/inherited.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'inherited',
    set: 'LAPSES=1 RESTS=1',
    because: 'who waited when a lease ran out is told, and nobody after a lock has rested',
    states: 100_000,
    quick: true,
  },
  {
    name: 'inherited-lapses',
    set: 'LAPSES=2 RESTS=1 LOSSES=1 GIVE_UPS=1',
    because: 'the same when the lease of who was to be told runs out too, or it gives up',
    states: 1_000_000,
    heavy: true,
  },
  {
    name: 'inherited-force',
    set: 'LAPSES=1 FORCES=1 CRASHES=1 GIVE_UPS=1',
    because: 'a forced unlock, a crash, a lease that runs out, a waiter that gives up',
    states: 1_000_000,
    heavy: true,
  },
  {
    name: 'inherited-message',
    set: 'LAPSES=1 LOST_MESSAGES=1 GIVE_UPS=1',
    because: 'the message is lost that gives the lock: the answer to the next ask has the news',
    states: 100_000,
    quick: true,
  },
  {
    name: 'inherited-copy',
    set: 'COPIES=1 LAPSES=1',
    because: 'an ask arrives for a second time, at any later moment',
    states: 1_000_000,
  },
  {
    name: 'inherited-four',
    set: 'NT=4 LAPSES=1 CRASHES=1 GIVE_UPS=1',
    because: 'four processes, of which one crashes and one gives up',
    states: 5_000_000,
    heavy: true,
  },
  {
    name: 'inherited-limit',
    set: 'CRASHES=2 LIMIT LAPSES=1 RESTS=1',
    because: 'a grant step comes to one waiter only, and others go on',
    states: 3_000_000,
    heavy: true,
  },
];

const failing = [
  {
    name: 'inherited-no-note',
    set: 'RESTS=1 NO_NOTE',
    fails: 'told_in_vain',
    because: 'a lock that has rested is taken for one whose lease ran out',
    states: 10_000,
    quick: true,
  },
  {
    name: 'inherited-note-stays',
    set: 'RESTS=1 LAPSES=1 NOTE_STAYS',
    fails: 'not_told',
    because: 'the note of a rest hides a lease that runs out later',
    states: 100_000,
  },
  {
    name: 'inherited-message-only',
    set: 'LAPSES=1 LOST_MESSAGES=1 MESSAGE_ONLY',
    fails: 'not_told',
    because: 'the news is lost with a message',
    states: 100_000,
    quick: true,
  },
  {
    name: 'inherited-mark-stays',
    set: 'LAPSES=1 MARK_STAYS',
    fails: 'told_in_vain',
    because: 'the news outlives a release',
    states: 100_000,
  },
  {
    name: 'inherited-passed-over',
    set: 'LAPSES=1 CRASHES=1 PASSED_OVER',
    fails: 'not_told',
    because: 'the news goes with a dead waiter that is passed over',
    states: 100_000,
  },
  {
    name: 'inherited-cancel-forgets',
    set: 'LAPSES=1 GIVE_UPS=1 CANCEL_FORGETS',
    fails: 'not_told',
    because: 'who was granted the lock and gives up keeps the news',
    states: 100_000,
  },
  {
    name: 'inherited-lost-as-released',
    set: 'LOSSES=1 LOST_AS_RELEASED',
    fails: 'not_told',
    because: 'a holder that has lost the lock cancels as if it had given it back',
    states: 10_000,
  },
  {
    name: 'inherited-forced-in-silence',
    set: 'FORCES=1 FORCED_IN_SILENCE',
    fails: 'not_told',
    because: 'a forced unlock is taken for a release',
    states: 100_000,
  },
  {
    name: 'inherited-limit-forgets',
    set: 'CRASHES=1 LIMIT LIMIT_FORGETS',
    fails: 'told_in_vain',
    because: 'a grant step that met its limit among dead waiters leaves no note that the lock was given back',
    states: 100_000,
  },
  {
    name: 'inherited-unheard',
    set: 'LAPSES=2 UNHEARD',
    fails: 'not_told',
    because: 'who hears of the lock when it is over forgets what came with it',
    states: 100_000,
    quick: true,
  },
  {
    name: 'inherited-lost-twice',
    set: 'FORCES=1 LAPSES=1 LOST_MESSAGES=1',
    fails: 'not_told',
    because: 'a limit of what is built: the message is lost, and what it gave runs out before the waiter asks again',
    states: 100_000,
  },
];

export const inherited = [...passing, ...failing].map((variant) => ({ model: 'inherited', ...variant }));
