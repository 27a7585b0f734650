/** What became of each tenure, as the server did it. */
export interface TenureStory {
  readonly tenure: string;
  readonly lock: string;
  /** Largest hold count. */
  count: number;
  /** Latest time at which its lease would have ended, in server milliseconds. */
  latestEndMs: number;
  /** How it ended; undefined while it owns. */
  end: 'expired-or-deleted' | 'deleted' | 'flushed' | undefined;
  /**
   * Seconds in which it owned the lock again after its lease had run out. That is right when its process had not seen the first grant
   * in time and asked again, and a ghost when somebody had worked under it.
   */
  readonly regrantedAt: number[];
}

export interface Flaw {
  readonly rule: 'aof-two-owners' | 'aof-regrant' | 'aof-no-ttl' | 'aof-count' | 'aof-order';
  readonly lock: string;
  readonly tenures: readonly string[];
  /** Second of the server's wall clock. */
  readonly second: number;
  readonly text: string;
}

export interface Timeline {
  /** By `<lock> <tenure>`. */
  readonly tenures: ReadonlyMap<string, TenureStory>;
  readonly flaws: readonly Flaw[];
  readonly transactions: number;
}
