// Variants of spec/multi.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'multi',
    set: 'TIMES=2',
    because: 'members in one order: all are served, and nothing is left behind',
    states: 50_000,
    quick: true,
  },
  {
    name: 'multi-ends',
    set: 'GIVE_UPS=2 LOSSES=1',
    because: 'the same with deadlines and a member that is forced away',
    states: 1_500_000,
    heavy: true,
  },
  {
    name: 'multi-together',
    set: 'TOGETHER GIVE_UPS=1 LOSSES=1',
    because: 'members that are free are taken in one command, up to the first that is not',
    states: 1_500_000,
    heavy: true,
  },
];

const failing = [
  {
    name: 'multi-past-the-busy',
    set: 'TOGETHER PAST_THE_BUSY',
    fails: 'waits_for_ever',
    because: 'the command also takes members behind one that is not free: they are held while that one is waited for',
    states: 50_000,
    quick: true,
  },
  {
    name: 'multi-as-named',
    set: 'AS_NAMED',
    fails: 'waits_for_ever',
    because: 'members in the order in which callers name them: each waits for what another has',
    states: 50_000,
    quick: true,
  },
  {
    name: 'multi-keeps-when-late',
    set: 'GIVE_UPS=1 KEEPS_WHEN_LATE',
    fails: 'left_behind',
    because: 'a call that is over gives nothing back',
    states: 100_000,
    quick: true,
  },
  {
    name: 'multi-keeps-place',
    set: 'GIVE_UPS=1 KEEPS_PLACE',
    fails: 'left_behind',
    because: 'a call that is over stays in the line',
    states: 100_000,
  },
  {
    name: 'multi-keeps-after-loss',
    set: 'LOSSES=1 KEEPS_AFTER_LOSS',
    fails: 'left_behind',
    because: 'of the members of a call that has lost one the others are kept',
    states: 100_000,
  },
];

export const multi = [...passing, ...failing].map((variant) => ({ model: 'multi', ...variant }));
