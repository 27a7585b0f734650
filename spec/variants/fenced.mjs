// Variants of spec/fenced.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'fenced',
    set: 'LAPSES=1 COPIES=1 LOSSES=1 WRITES=1',
    because: 'tokens rise from hold to hold and writes go in by them, whatever leases, copies and the counter do',
    states: 1_000_000,
    quick: true,
  },
  {
    name: 'fenced-writes',
    set: 'LAPSES=1 COPIES=1 LOSSES=1',
    because: 'the same with two writes of each hold',
    states: 1_000_000,
    heavy: true,
  },
  {
    name: 'fenced-three',
    set: 'NC=3 OWNS=4 LAPSES=2 WRITES=1',
    because: 'the same with three processes of which two stand still',
    states: 3_000_000,
  },
];

const failing = [
  {
    name: 'fenced-no-clock',
    set: 'LOSSES=1 NO_CLOCK',
    fails: 'token_falls',
    because: 'a counter that was lost begins again below what was given',
    states: 100_000,
    quick: true,
  },
  {
    name: 'fenced-beyond-the-span',
    set: 'OWNS=4 BEYOND_THE_SPAN',
    fails: 'token_repeats',
    because: 'the number behind a span is given in memory, and may be another’s',
    states: 100_000,
    quick: true,
  },
  {
    name: 'fenced-shared',
    set: 'SHARED',
    fails: 'token_repeats',
    because: 'the tasks of a process share the token of their tenure',
    states: 100_000,
  },
  {
    name: 'fenced-ask-mints',
    set: 'COPIES=1 ASK_MINTS',
    fails: 'minted_twice',
    because: 'a copy of an ask takes the token of a hold away',
    states: 100_000,
    quick: true,
  },
  {
    name: 'fenced-no-guard',
    set: 'WRITES=1 LAPSES=1 NO_GUARD',
    fails: 'stale_write',
    because: 'without a guard a stopped holder writes over its successor',
    states: 100_000,
    quick: true,
  },
  {
    name: 'fenced-guard-counts-not',
    set: 'COPIES=1 GUARD_COUNTS_NOT',
    fails: 'undone',
    because: 'a late copy of a write undoes a later one of the same holder',
    states: 100_000,
  },
];

export const fenced = [...passing, ...failing].map((variant) => ({ model: 'fenced', ...variant }));
