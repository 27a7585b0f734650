/**
 * What was given back a moment ago, so that it is given back once more where the server that was told may not be the one that is there now.
 *
 * A failover may lose the last writes, and so may a restart from older data. A release among them leaves the name to a tenure that has ended: nobody
 * renews it and nobody would give it back, so that everybody waits for the rest of its lease; permits without an end would never come back. The
 * client knows that the tenure is over. A tenure that is withdrawn twice changes nothing, for its id never comes again. A rest that was lost among them
 * is told once more as a rest, while it lasts: withdrawn, the name would be free before its time.
 *
 * Not covered: what was given back before the latest {@link MOST}, or longer before the last one than {@link RECENT_MS}; and clients that died meanwhile.
 */

import type { Covers, Topology, TopologyListener } from '../connection/topology.js';
import type { Operations } from './operations.js';

/** So many are remembered: a busy client gives back more in the time that replication takes, but asks for its names again at once. */
const MOST = 100;
/** Replicas are seldom further behind, and a master that has been replaced seldom answers for longer. */
const RECENT_MS = 10_000;

/** One tenure that was given back. */
export interface Release {
  readonly operations: Operations;
  readonly id: string;
  /** Of its last step. */
  readonly seq: number;
  /** Clock time until which nobody gets the name. */
  readonly restUntil?: number | undefined;
}

interface Told extends Release {
  /** Clock time. */
  readonly sentAt: number;
  /** The server that was told. */
  readonly node: string | undefined;
}

/** See the module comment; one for each client. */
export class RecentReleases implements TopologyListener {
  readonly #topology: Pick<Topology, 'nodeOf'>;
  readonly #again: (release: Release) => void;
  /** The oldest is overwritten by the next. */
  readonly #latest: Told[] = [];
  #count = 0;

  /** @param again - tells the server that is there now. */
  constructor(topology: Pick<Topology, 'nodeOf'>, again: (release: Release) => void) {
    this.#topology = topology;
    this.#again = again;
  }

  /** The server has answered that it was given back. */
  note({ operations, id, seq, restUntil }: Release, sentAt: number): void {
    // Not spread from the release, which would take a twentieth of the processor time of a lock and unlock.
    const node = this.#topology.nodeOf(operations.key);
    this.#latest[this.#count++ % MOST] = { operations, id, seq, restUntil, sentAt, node };
  }

  onDown(): void {}

  /** In a Cluster another server may keep these names from now on. */
  onUp(covers: Covers): void {
    this.#tellAgain(({ operations: { key }, node }) => covers(key) && this.#topology.nodeOf(key) !== node);
  }

  onOther(covers: Covers): void {
    this.#tellAgain(({ operations: { key } }) => covers(key));
  }

  #tellAgain(isConcerned: (release: Told) => boolean): void {
    const latest = this.#latest.splice(0);
    this.#count = 0;
    // Counted back from the last release, not from now: the outage may have been long.
    const since = Math.max(...latest.map(({ sentAt }) => sentAt)) - RECENT_MS;
    for (const release of latest) {
      if (!isConcerned(release)) this.#latest[this.#count++] = release;
      else if (release.sentAt >= since) this.#again(release);
    }
  }
}
