/** A call that waits for a lock, as judges see it. */
export interface Wait {
  /** It has the lock, and stood in line for it like everybody else. */
  had(): void;
  /** It does not wait any more, whatever came of it. */
  settled(): void;
}
