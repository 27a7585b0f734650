/**
 * What a holder is told of a lock that the holder before did not give back: as the mutexes of POSIX tell by EOWNERDEAD. What the lock protects
 * may be half written: repair it before you go on.
 *
 * - `expired`: the lease ran out, because its process died, stood still or could not reach Redis, because the hold had become too old, or because
 *   nothing released it; or somebody deleted the lock's key; or the client was closed over an open hold.
 * - `forced`: `forceUnlock` took it from its holder.
 */
export interface Inherited {
  /** How the holder before lost it; see above. */
  readonly reason: 'expired' | 'forced';
  /** When that was found, or done: milliseconds since the epoch by Redis' clock. Absent where only this process knows of it. */
  readonly since?: number;
}
