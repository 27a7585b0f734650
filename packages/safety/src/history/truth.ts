import { nowMicros } from './clock.js';
import type { Truth } from './event.js';

/** The part of holdfast's `Hold` that can be asked. */
export interface Witness {
  readonly state: Truth['state'];
  remainingMs(): number;
}

/**
 * What a hold says of itself now. The clock is read first, so that `until` is never later than the deadline that the hold means;
 * the signal before the state, so that an aborted signal beside a state that says `held` is a lie and no race.
 */
export function truthOf(hold: Witness, signal?: AbortSignal): Truth & { readonly at: number } {
  const at = nowMicros();
  const aborted = signal?.aborted;
  const { state } = hold;
  const remainingMs = hold.remainingMs();
  return {
    at,
    state,
    ...(remainingMs > 0 ? { until: at + Math.floor(remainingMs * 1_000) } : {}),
    ...(aborted === undefined ? {} : { aborted }),
  };
}
