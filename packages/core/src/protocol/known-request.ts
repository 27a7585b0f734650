/** A request that is known from its copies. */
export interface KnownRequest {
  /** A fresh id in the form of a tenure id. Resent, it must stay the same: a copy then changes nothing. */
  readonly request: string;
  /** How long copies are recognised, in ms. */
  readonly tombstoneMs: number;
}
