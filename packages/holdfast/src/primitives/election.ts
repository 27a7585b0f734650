import type { Guard } from './guard.js';

/** Options of {@link Election.campaign}. */
export interface CampaignOptions {
  /** What observers know this candidate by, unless it re-enters the leadership of another. At most 256 characters, no white space. Default: the client's id. */
  id?: string | undefined;
  /** Longest wait in milliseconds, then the campaign rejects with LockTimeoutError. Default: without limit, while Redis answers. */
  waitMs?: number | undefined;
  /** Gives up the campaign when it aborts: the call rejects with the signal's reason. It does not end a leadership: see {@link Election.resign}. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link Election.observe}. */
export interface ObserveOptions {
  /** Ends the observation when it aborts: the pending step, or the next, rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Being the leader: from winning a campaign until it is lost or given up. */
export interface Leadership extends AsyncDisposable {
  /** Name of the election. */
  readonly name: string;
  /** The term: higher than that of every leader before. Hand it on with what you write, see {@link FencedHold.token}. */
  readonly token: number;
  /** Writes to Redis that are refused when a later leader has written; see {@link Guard}. */
  readonly guard: Guard;
  /**
   * Aborts when the leadership is over, and before another leader can be: with LockLostError when it was lost, with LockNotHeldError when it was
   * given up, as it is by a `campaign(fn)` whose `fn` has settled. A leadership that was forced away or deleted is told by message, at the latest at the next renewal.
   */
  readonly signal: AbortSignal;
  /** Checked against the local deadline at every read: true only while no other can lead. */
  readonly leads: boolean;
  /** Call it before a step that only the leader may take. @throws LockLostError, LockNotHeldError when the leadership is over. */
  assertLeads(): void;
  /**
   * Gives up: {@link signal} aborts at once, before the next one can lead. In `campaign(fn)` the leadership is given back when `fn` has settled, and this
   * resolves without waiting for that; else it resolves when it has been given back. A second call does nothing more, and
   * resolves when the first has settled.
   *
   * @throws as {@link Hold.release}, where there is no `fn`.
   */
  resign(): Promise<void>;
}

/** Who leads. */
export interface Leader {
  /** What it has campaigned as: `id`, or the id of its client. */
  readonly id: string;
  /** Its term; see {@link Leadership.token}. */
  readonly token: number;
  /** It is of this client. */
  readonly thisClient: boolean;
}

/**
 * An election: of all candidates, in whatever process, one leads at a time, until it gives up, or dies, or is cut off. A thin layer over the
 * fenced lock of the name, with which it excludes all other locks: candidates are served in the order in which they arrived in Redis, a leadership is
 * renewed while its process lives, and one that is cut off is told by {@link Leadership.signal} before the next one leads.
 */
export interface Election {
  /** As `election` was given it. */
  readonly name: string;
  /**
   * Waits to become the leader, runs `fn`, and gives the leadership back when `fn` has settled. Returns what `fn` returns. `fn` has to end when
   * {@link Leadership.signal} aborts. Inside `fn` of a leader a campaign of the same client is won at once, with the same token;
   * observers go on being told the `id` of the one around it, also when that has ended before.
   *
   * @throws what `fn` throws; LockLostError when the leadership was lost, also where `fn` has returned; else as {@link RLock.acquire}.
   */
  campaign<T>(fn: (leadership: Leadership) => T | PromiseLike<T>): Promise<T>;
  /** The same with options. */
  campaign<T>(options: CampaignOptions, fn: (leadership: Leadership) => T | PromiseLike<T>): Promise<T>;
  /** Waits to become the leader. The leadership lasts until {@link Leadership.resign}, or until it is lost. */
  campaign(options?: CampaignOptions): Promise<Leadership>;
  /**
   * Tells who leads: first who does now, undefined for nobody, then each change. Changes come by message, and when one is lost within `reaskMs`. Who
   * asks late for the next step is told the latest leader, and not those between. Ends with `break`, `return()`, the signal, and the client.
   *
   * What it tells has been so, and may be over when it is read: only {@link Leadership.token} and a guard can tell.
   *
   * @throws LockUnavailableError when Redis has not answered for `responseTimeoutMs`, LockRefusedError, LockClientClosedError: in the pending
   * step. TypeError when a step is asked for while another one waits: that one goes on.
   */
  observe(options?: ObserveOptions): AsyncIterableIterator<Leader | undefined>;
  /** Gives up what this object leads; see {@link Leadership.resign}. Answers whether it led. Campaigns that still wait go on. */
  resign(): Promise<boolean>;
}
