/** How a script that frees the lock chooses and tells the next owner. */
export interface Granting {
  /** Lease of a waiter that is granted the lock, until it renews, in ms. */
  readonly claimMs: number;
  /**
   * Whether the server knows all who listen, so that a waiter whose inbox has no subscriber is passed over:
   * true on one node and behind Sentinel, false in Cluster, where each node counts its own only. There a lock that
   * becomes free is announced by SPUBLISH too, since Redisson's clients listen so in a Cluster.
   */
  readonly trust: boolean;
}

/** The wire form of {@link Granting.trust}. */
export function trustArgument({ trust }: Pick<Granting, 'trust'>): 0 | 1 {
  return trust ? 1 : 0;
}
