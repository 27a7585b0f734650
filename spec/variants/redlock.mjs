// Variants of spec/redlock.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'redlock',
    set: 'LAPSES=2',
    because: 'leases run out at nodes',
    states: 600_000,
    quick: true,
    heavy: true,
  },
  {
    name: 'redlock-rounds',
    set: 'LAPSES=2 ROUNDS=2',
    because: 'the same, and clients come again',
    states: 3_000_000,
    heavy: true,
  },
  {
    name: 'redlock-restart',
    set: 'RESTARTS=1 REVOTES=1',
    because: 'a node forgets, and a holder asks it anew',
    states: 1_000_000,
    quick: true,
    heavy: true,
  },
  {
    name: 'redlock-restarts',
    set: 'RESTARTS=2 REVOTES=2 LAPSES=1',
    because: 'the same, twice, and a lease runs out',
    states: 12_000_000,
    heavy: true,
  },
];

const failing = [
  {
    name: 'redlock-half',
    set: 'HALF',
    fails: 'two_believers',
    because: 'half of the nodes, rounded down, is no majority',
    states: 100_000,
    quick: true,
  },
  {
    name: 'redlock-no-deadlines',
    set: 'LAPSES=2 NO_DEADLINES',
    fails: 'two_believers',
    because: 'a vote counts until a renewal finds it gone',
    states: 200_000,
    quick: true,
  },
  {
    name: 'redlock-young-vote',
    set: 'RESTARTS=1 YOUNG_VOTE',
    fails: 'two_believers',
    because: 'a node that has forgotten a vote gives another one in a round',
    states: 400_000,
    quick: true,
  },
  {
    name: 'redlock-young-revote',
    set: 'RESTARTS=2 REVOTES=1 YOUNG_REVOTE',
    fails: 'two_believers',
    because: 'the same when a holder asks it anew',
    states: 6_000_000,
    heavy: true,
  },
];

export const redlock = [...passing, ...failing].map((variant) => ({ model: 'redlock', ...variant }));
