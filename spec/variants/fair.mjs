// Variants of spec/fair.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'fair',
    set: 'DEATHS=1 STALE=1 GIVE_UPS=1',
    because:
      'who arrived first in Redis is served first, over processes and calls, whoever dies, gives up or is passed over',
    states: 100_000,
    quick: true,
  },
  {
    name: 'fair-three',
    set: 'NP=3 DEATHS=1 STALE=1',
    because: 'the same with three processes',
    states: 3_000_000,
    heavy: true,
  },
];

const failing = [
  {
    name: 'fair-hands-over',
    set: 'HANDS_OVER',
    fails: 'overtaken',
    because: 'a process gives the lock to its own next call, though one of another process came first',
    states: 10_000,
    quick: true,
  },
  {
    name: 'fair-keeps-place',
    set: 'KEEPS_PLACE',
    fails: 'overtaken',
    because: 'the next call of a process takes the place of the one before',
    states: 10_000,
  },
  {
    name: 'fair-barges',
    set: 'DEATHS=1 BARGES',
    fails: 'overtaken',
    because: 'a newcomer takes the lock of the dead, for which others wait',
    states: 10_000,
  },
  {
    name: 'fair-no-ticket',
    set: 'STALE=1 NO_TICKET',
    fails: 'overtaken',
    because: 'who was passed over, though alive, comes back at the end',
    states: 10_000,
    quick: true,
  },
  {
    name: 'fair-any-order',
    set: 'ANY_ORDER',
    fails: 'out_of_order',
    because: 'commands of a process overtake each other on their way',
    states: 10_000,
  },
  {
    name: 'fair-waits-for-dead',
    set: 'DEATHS=1 WAITS_FOR_DEAD',
    fails: 'held_up',
    because: 'a place of the dead holds up all behind it',
    states: 10_000,
  },
];

export const fair = [...passing, ...failing].map((variant) => ({ model: 'fair', ...variant }));
