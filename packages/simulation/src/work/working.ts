/** What is done inside a section. */

import type { Hold, PermitHold } from 'holdfast';
import type { Desk } from './desk.js';

/** Leases that calls ask for are no longer. */
export const LONGEST_FIXED_LEASE_MS = 3_000;

/** Half of all sections do nothing that takes time. */
export function workMs({ chance }: Desk): number {
  return chance.happens(0.5) ? 0 : chance.mostlySmall(0.1, 60);
}

export async function work({ process, chance, computes }: Desk, hold: Hold | PermitHold, forMs: number): Promise<void> {
  if (forMs === 0) return;
  // A computation that is longer than a lease loses it, rightly: stalls of that length are faults.
  if (computes && forMs < 60 && chance.happens(0.03)) process.compute(forMs);
  else await process.sleep(forMs);
  // Who looks is told the truth; whether anybody looks must not matter.
  if (chance.happens(0.2)) void hold.state;
}
