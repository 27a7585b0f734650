import { duration } from './arguments.js';

/** For how long permits are had, in ms; `never`: until they are given back, also when their holder has died. */
export type Lease = number | 'never';

/** The wire form of a {@link Lease}. */
export function leaseArgument(leaseMs: Lease, min: 0 | 1 = 1): number | 'never' {
  return leaseMs === 'never' ? leaseMs : duration('leaseMs', leaseMs, min);
}
