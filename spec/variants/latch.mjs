// Variants of spec/latch.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'latch',
    set: 'COPIES=2 TWICE=1 MISSED=1',
    because: 'a counter counts once in a round, a request begins one, and who waits goes on when a round has ended',
    states: 1_000_000,
    quick: true,
  },
  {
    name: 'latch-lost',
    set: 'LOST=1 ROUNDS=3 TWICE=1 MISSED=1',
    because: 'a round that was lost is not taken for finished, and none that was finished for lost',
    states: 1_000_000,
    quick: true,
  },
];

const failing = [
  {
    name: 'latch-no-names',
    set: 'TWICE=1 NO_NAMES',
    fails: 'counted_twice',
    because: 'a counter that was restarted counts again',
    states: 100_000,
    quick: true,
  },
  {
    name: 'latch-count-without-record',
    set: 'COPIES=1 NO_NAMES COUNT_WITHOUT_RECORD',
    fails: 'counted_twice',
    because: 'a copy of a count counts',
    states: 100_000,
  },
  {
    name: 'latch-set-without-record',
    set: 'COPIES=1 SET_WITHOUT_RECORD',
    fails: 'begun_twice',
    because: 'a copy begins another round',
    states: 100_000,
  },
  {
    name: 'latch-any-round',
    set: 'ANY_ROUND',
    fails: 'early',
    because: 'who does not know its round takes the first that it sees for another',
    states: 100_000,
  },
  {
    name: 'latch-one-look',
    set: 'MISSED=1 ONE_LOOK',
    fails: 'stuck',
    because: 'who has missed the message waits at an open latch',
    states: 100_000,
    quick: true,
  },
  {
    name: 'latch-gone-is-over',
    set: 'LOST=1 GONE_IS_OVER',
    fails: 'lost_untold',
    because: 'a round that is gone is taken for finished',
    states: 100_000,
    quick: true,
  },
  {
    name: 'latch-mark-goes',
    set: 'MARK_GOES',
    fails: 'false_alarm',
    because: 'a round that was counted to its end leaves nothing, and looks lost',
    states: 100_000,
  },
  {
    name: 'latch-any-line',
    set: 'LOST=1 ROUNDS=3 MISSED=1 ANY_LINE',
    fails: 'lost_untold',
    because: 'rounds that were begun on an empty server are taken for later ones',
    states: 1_000_000,
  },
];

export const latch = [...passing, ...failing].map((variant) => ({ model: 'latch', ...variant }));
