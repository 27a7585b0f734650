// Variants of spec/permits.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'permits',
    set: 'COPIES=1 LOSSES=1 LAPSES=1',
    because: 'permits are as many as there are, and served in order, whatever copies, answers and leases do',
    states: 3_000_000,
    quick: true,
  },
  {
    name: 'permits-dead',
    set: 'COPIES=1 CRASHES=1',
    because: 'the permits of a dead holder come back, and a dead head keeps nobody out',
    states: 3_000_000,
  },
  {
    name: 'permits-again',
    set: 'TENURES=2 COPIES=1',
    because: 'the same when a process comes again',
    states: 5_000_000,
  },
];

const failing = [
  {
    name: 'permits-ask-again-takes',
    set: 'COPIES=1 ASK_AGAIN_TAKES',
    fails: 'miscounted',
    because: 'a copy of an ask takes permits for a record that is there',
    states: 300_000,
  },
  {
    name: 'permits-no-tombstone',
    set: 'COPIES=1 NO_TOMBSTONE',
    fails: 'kept',
    because: 'a late ask takes permits for a tenure that is over',
    states: 300_000,
  },
  {
    name: 'permits-release-by-number',
    set: 'COPIES=1 RELEASE_BY_NUMBER',
    fails: 'miscounted',
    because: 'a copy of a release makes permits',
    states: 300_000,
    quick: true,
  },
  {
    name: 'permits-expiry-keeps',
    set: 'LAPSES=1 EXPIRY_KEEPS',
    fails: 'miscounted',
    because: 'the permits of the dead are lost',
    states: 300_000,
  },
  {
    name: 'permits-renewal-revives',
    set: 'COPIES=1 LAPSES=1 RENEWAL_REVIVES',
    fails: 'miscounted',
    because: 'a late renewal has what others may have',
    states: 300_000,
  },
  {
    name: 'permits-barging',
    set: 'BARGING',
    fails: 'overtaken',
    because: 'who asks goes past who waits',
    states: 300_000,
  },
  {
    name: 'permits-skips',
    set: 'SKIPS',
    fails: 'overtaken',
    because: 'who wants many is overtaken by those who want few',
    states: 300_000,
    quick: true,
  },
  {
    name: 'permits-silent-release',
    set: 'SILENT_RELEASE',
    fails: 'forgotten',
    because: 'what is free is with nobody, and somebody waits',
    states: 300_000,
    quick: true,
  },
];

export const permits = [...passing, ...failing].map((variant) => ({ model: 'permits', ...variant }));
