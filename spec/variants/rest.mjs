// Variants of spec/rest.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'rest',
    set: 'NO_REASK',
    because: 'nobody begins before a minimum is over, and who waits is told when it is',
    states: 100_000,
    quick: true,
  },
  {
    name: 'rest-copies',
    set: 'COPIES=1',
    because: 'a command arrives for a second time, at any later moment',
    states: 1_000_000,
    heavy: true,
  },
  {
    name: 'rest-lapse',
    set: 'COPIES=1 LAPSES=1',
    because: 'the same, and a lease that runs out',
    states: 3_000_000,
    heavy: true,
  },
  {
    name: 'rest-close',
    set: 'COPIES=1 CLOSES=1',
    because: 'a process that is closed cancels what rests already',
    states: 3_000_000,
    heavy: true,
  },
  {
    name: 'rest-renewed',
    set: 'COPIES=1 RENEWALS=1',
    because: 'a renewal arrives when the lock rests',
    states: 3_000_000,
    heavy: true,
  },
  {
    name: 'rest-refused',
    set: 'COPIES=1 REFUSALS=1',
    because: 'Redis counts a hold that is over, because it refused the release',
    states: 3_000_000,
    heavy: true,
  },
  {
    name: 'rest-three',
    set: 'NC=3 TENURES=1 COPIES=1 GIVE_UPS=1',
    because: 'three processes, of which one gives up',
    states: 1_000_000,
    heavy: true,
  },
  {
    name: 'rest-message',
    set: 'LOST_MESSAGES=1 LAPSES=1 GIVE_UPS=1',
    because: 'a message is lost, a lease runs out, a waiter gives up',
    states: 1_000_000,
    heavy: true,
  },
];

const failing = [
  {
    name: 'rest-taken',
    set: 'TAKES_RESTS',
    fails: 'cut_short',
    because: 'nobody has a lock that rests, but it is not free',
    states: 10_000,
    quick: true,
  },
  {
    name: 'rest-handed-over',
    set: 'HANDS_OVER',
    fails: 'cut_short',
    because: 'the next task of the process has the lock at once',
    states: 10_000,
  },
  {
    name: 'rest-under-its-name',
    set: 'CLOSES=1 UNDER_ITS_NAME',
    fails: 'cut_short',
    because: 'who is closed frees a lock that rests as its own',
    states: 100_000,
    quick: true,
  },
  {
    name: 'rest-prolonged',
    set: 'COPIES=1 RENEWALS=1 UNDER_ITS_NAME',
    fails: 'prolonged',
    because: 'a late renewal finds the lock under the name of its tenure, and makes the rest as long as a lease',
    states: 1_000_000,
    heavy: true,
  },
  {
    name: 'rest-freed-by-a-copy',
    set: 'COPIES=1 FREES',
    fails: 'cut_short',
    because: 'a copy of the command that lets the lock rest frees it',
    states: 1_000_000,
  },
  {
    name: 'rest-counts',
    set: 'REFUSALS=1 COUNTS',
    fails: 'cut_short',
    because: 'the lock does not rest while a hold is counted that is over, and goes on at once',
    states: 100_000,
    quick: true,
  },
  {
    name: 'rest-unanswered',
    set: 'UNANSWERED=1',
    fails: 'cut_short',
    because:
      'a rest that is not answered in time, and given up by a cancel, frees the lock: it is sent as a rest again',
    states: 100_000,
  },
  {
    name: 'rest-no-tombstone',
    set: 'COPIES=1 NO_TOMBSTONE',
    fails: 'ghost',
    because: 'a late ask takes the lock after its rest, for nobody',
    states: 100_000,
  },
  {
    name: 'rest-silent',
    set: 'NO_REASK SILENT',
    fails: 'lost_wake_up',
    because: 'who waits knows of a lease that is longer than the rest',
    states: 10_000,
    quick: true,
  },
];

export const rest = [...passing, ...failing].map((variant) => ({ model: 'rest', ...variant }));
