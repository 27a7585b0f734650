/**
 * What was given back or withdrawn a moment ago, so that it is told once more where the server that was told may not be the one that is there now.
 *
 * A failover may lose the last writes, and so may a restart from older data. A release among them leaves the name to a tenure that has ended: nobody
 * renews it and nobody would give it back, so that everybody waits for the rest of its lease; permits without an end would never come back. A waiter
 * that had been withdrawn has its place again, and when its turn comes, everybody waits for the end of a claim. The client knows that the tenure is
 * over. A tenure that is withdrawn twice changes nothing, for its id never comes again. A rest that was lost among them is told once more as a rest,
 * while it lasts: withdrawn, the name would be free before its time.
 *
 * Not covered: what was given back before the latest {@link MOST}, or longer before the last one than {@link RECENT_MS}; and clients that died meanwhile.
 */

import type { Covers, Topology, TopologyListener } from '../connection/topology.js';
import type { Operations, TenureEnd } from './operations.js';

/** So many are remembered at least, and seldom twice as many: what a busy process gives back in the second or two that a failover takes, often of one name. */
const MOST = 2_000;
/** Replicas are seldom further behind, and a master that has been replaced seldom answers for longer. */
const RECENT_MS = 10_000;
/** A server that has just taken over serves others meanwhile. */
const TOLD_AT_ONCE = 100;

/** One tenure that was given back, or withdrawn. */
export interface Release {
  readonly operations: Operations;
  readonly id: string;
  /** Of its last step. */
  readonly seq: number;
  /** Clock time until which nobody gets the name. */
  readonly restUntil?: number | undefined;
  /** What the next owner is to know of it; absent: `released`. */
  readonly end?: TenureEnd | undefined;
  /** For so long late copies of its asks are to be refused; absent: none can be on its way. */
  readonly tombstoneMs?: number;
}

interface Told extends Release {
  /** Clock time. */
  readonly sentAt: number;
  /** The server that was told. */
  readonly node: string | undefined;
}

/** See the module comment; one for each client. */
export class RecentReleases implements TopologyListener {
  readonly #topology: Pick<Topology, 'nodeOf' | 'ready' | 'takesLocks'>;
  readonly #again: (release: Release) => Promise<void>;
  /** The older half is forgotten as a whole: nothing is looked for when a lock is given back. */
  #older: Told[] = [];
  #newer: Told[] = [];
  /** Those to be told again. Of what a replica lacks the latest is the likeliest, and goes first. */
  readonly #untold: Told[] = [];
  /** What has its place in Redis all the same, by tenure. */
  readonly #refused = new Map<string, Release>();
  #atOnce = TOLD_AT_ONCE;

  /** @param again - tells the server that is there now; never rejects. */
  constructor(topology: Pick<Topology, 'nodeOf' | 'ready' | 'takesLocks'>, again: (release: Release) => Promise<void>) {
    this.#topology = topology;
    this.#again = again;
  }

  /** The server has answered that it was given back, or withdrawn. */
  note({ operations, id, seq, restUntil, end }: Release, sentAt: number): void {
    const [first] = this.#newer;
    if (first !== undefined && (this.#newer.length >= MOST || first.sentAt < sentAt - RECENT_MS)) {
      this.#older = this.#newer;
      this.#newer = [];
    }
    // Not spread from the release, which would take a twentieth of the processor time of a lock and unlock.
    const node = this.#topology.nodeOf(operations.key);
    this.#newer.push({ operations, id, seq, restUntil, end, sentAt, node });
  }

  /** The server has refused to hear of it, for good. As long as its place is served, the lock may be given to it: then the server is told once more. */
  refused(release: Release): void {
    if (this.#refused.size >= MOST) this.#refused.clear();
    this.#refused.set(release.id, release);
  }

  /** A lock was given to a tenure that has ended. Most were withdrawn meanwhile, and have passed it on. */
  granted(id: string): void {
    const release = this.#refused.get(id);
    if (this.#refused.delete(id)) void this.#again(release as Release);
  }

  /** In a Cluster another server may keep these names from now on. */
  onUp(covers: Covers): void {
    this.#tellAgain(({ operations: { key }, node }) => covers(key) && this.#topology.nodeOf(key) !== node);
  }

  onOther(covers: Covers): void {
    this.#tellAgain(({ operations: { key } }) => covers(key));
  }

  /** What is left is told at once: nobody would do so later. Of a server that has yet to say which run it is, all is left. */
  close(): void {
    this.#atOnce = Infinity;
    if (this.#topology.ready && !this.#topology.takesLocks) this.#tellAgain(() => true);
    void this.#tell();
  }

  #tellAgain(isConcerned: (release: Told) => boolean): void {
    const latest = [...this.#older, ...this.#newer];
    const concerned = new Set(latest.filter(isConcerned));
    if (concerned.size === 0) return;
    // Counted back from the last release, not from now: the outage may have been long.
    const since = (latest.at(-1)?.sentAt ?? 0) - RECENT_MS;
    const isLeft = (release: Told) => !concerned.has(release);
    // Each half by itself: joined they would be kept for longer, and for ever where connections come and go all the time.
    this.#older = this.#older.filter(isLeft);
    this.#newer = this.#newer.filter(isLeft);
    for (const release of concerned) if (release.sentAt >= since) this.#untold.push(release);
    void this.#tell();
  }

  async #tell(): Promise<void> {
    while (this.#untold.length > 0)
      await Promise.all(this.#untold.splice(-this.#atOnce).map((release) => this.#again(release)));
  }
}
