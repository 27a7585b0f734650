import type { Tempo } from './stage.js';

/** The tour: leases as short as can be watched, measured with up to 64 that wait. */
export const tour: Tempo = {
  shortMs: 400,
  watchdogMs: 1_000,
  renewals: 6,
  crowds: [1, 8, 64],
  askings: 24,
  handovers: 6,
};

/** What CI runs. Leases that must not run out are long, and no wake-up is timed: nothing depends on how fast the machine is. */
export const short: Tempo = {
  shortMs: 300,
  watchdogMs: 9_000,
  renewals: 1,
  crowds: [8],
  askings: 4,
  handovers: 0,
};
