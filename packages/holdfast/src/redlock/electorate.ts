/** The nodes of a client, and how many of them are a majority: what all its locks share. */

import type { Schedule } from '@holdfast/watchdog';
import type { LockParts } from '../client-parts.js';
import type { Reach } from '../connection/reach.js';
import type { LockNode, NodeState } from './lock-node.js';

/** The times of a vote, in milliseconds; see the options of the client. */
export interface VotingTimes {
  readonly nodeTimeoutMs: number;
  /** Undefined: half of the lease. */
  readonly minValidityMs: number | undefined;
}

/** A node may take no more than this share of a lease. */
const NODE_SHARE = 1 / 20;

/** Nodes in these states vote, or would if they answered. */
const eligible: readonly NodeState[] = ['may vote', 'connecting', 'unreachable', 'silent'];

const badness: Readonly<Record<Reach['state'], number>> = { connected: 0, connecting: 1, down: 2 };

/** See the module comment. */
export class Electorate {
  readonly nodes: readonly LockNode[];
  readonly majority: number;
  readonly parts: LockParts;
  /** For what must not keep the process alive. */
  readonly background: Schedule;
  readonly #times: VotingTimes;
  readonly #waiting = new Set<() => void>();

  constructor(nodes: readonly LockNode[], parts: LockParts, background: Schedule, times: VotingTimes) {
    this.nodes = nodes;
    this.majority = Math.floor(nodes.length / 2) + 1;
    this.parts = parts;
    this.background = background;
    this.#times = times;
  }

  /** How long a node may take for its vote on a lease. */
  nodeTimeoutMs(leaseMs: number): number {
    return Math.max(1, Math.min(this.#times.nodeTimeoutMs, Math.floor(leaseMs * NODE_SHARE)));
  }

  /** What must be left of a lease when its lock is handed over. */
  minValidityMs(leaseMs: number, mode: 'fixed' | 'watched'): number {
    const half = leaseMs / 2;
    const { minValidityMs = half } = this.#times;
    return mode === 'fixed' ? Math.min(minValidityMs, half) : minValidityMs;
  }

  /** The nodes, beginning with the one where calls for this lock stand in line, and then those that take its place. The same for each client that has the same list. */
  orderFor(name: string): readonly LockNode[] {
    const first = hashOf(name) % this.nodes.length;
    return [...this.nodes.slice(first), ...this.nodes.slice(0, first)];
  }

  /** That two of them are one server, which would have two votes. */
  get mistake(): string | undefined {
    const known = new Map<string, number>();
    for (const [index, { standing }] of this.nodes.entries()) {
      const { runId } = standing;
      if (runId === undefined) continue;
      const other = known.get(runId);
      if (other !== undefined) return `nodes[${other}] and nodes[${index}] are the same server`;
      known.set(runId, index);
    }
    return undefined;
  }

  /** What is known of the way to a majority: that to the node which makes it one. Nodes that must not vote are none of it. */
  get reach(): Reach {
    const reaches = this.#eligible.map(({ reach }) => reach);
    const owedMs = (reach: Reach) => reach.silentMs ?? 0;
    reaches.sort((a, b) => badness[a.state] - badness[b.state] || owedMs(a) - owedMs(b));
    return reaches[this.majority - 1] ?? { state: 'down' };
  }

  /** Whether those that can be reached, are to vote, and `serve` are no majority. */
  lacksMajority(serves: (node: LockNode) => boolean): boolean {
    return this.#eligible.filter((node) => node.state !== 'unreachable' && serves(node)).length < this.majority;
  }

  get #eligible(): readonly LockNode[] {
    return this.nodes.filter(({ state }) => eligible.includes(state));
  }

  /** Why there is no majority, if there is none. */
  get trouble(): Error | undefined {
    const others = this.nodes.filter(({ mayVote }) => !mayVote);
    if (others.length <= this.nodes.length - this.majority) return undefined;
    const reasons = others.map(({ address, hindrance }) => `${address}: ${hindrance}`);
    const lasting = this.lastingTrouble;
    const voting = this.nodes.length - others.length;
    return new Error(
      `${voting} of ${this.nodes.length} nodes can vote, and ${this.majority} must (${reasons.join('; ')})`,
      lasting && { cause: lasting },
    );
  }

  /** Why no majority can come about until somebody changes something, if that is so. */
  get lastingTrouble(): Error | undefined {
    const troubles = this.nodes.map(({ lastingTrouble }) => lastingTrouble).filter((error) => error !== undefined);
    return troubles.length > this.nodes.length - this.majority ? troubles[0] : undefined;
  }

  /** Calls `look` with each news of a node, until told to stop. */
  watch(look: () => void): () => void {
    this.#waiting.add(look);
    return () => this.#waiting.delete(look);
  }

  /** Something has become known of a node. */
  readonly onNews = (): void => {
    // One may bring it about that another one is told to stop.
    for (const look of [...this.#waiting]) if (this.#waiting.has(look)) look();
  };
}

/** FNV-1a, of the name's UTF-16 units: it only has to be the same everywhere. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
