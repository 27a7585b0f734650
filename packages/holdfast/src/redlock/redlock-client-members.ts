/** What users see of a client for locks by majority. */

import type { ConnectOptions, LockClientMembers, LockHandleOptions } from '../lock-client.js';
import type { RLock } from '../primitives/rlock.js';
import type { LockClientEvents, LockClientListener } from '../reports/events.js';
import type { NodeState } from './lock-node.js';

/** What a client knows of one of its nodes; see {@link RedLockClient.nodes}. */
export interface RedLockNode {
  /** Host and port. */
  readonly address: string;
  /**
   * - `may vote`: it counts.
   * - `connecting`, `unreachable`, `silent`: there is no connection yet, or none, or nothing comes back on it.
   * - `young`: it was started less than `longestLeaseMs` ago, as far as is known here, and may have forgotten a lock. It will count by itself.
   * - `replica`: it is no master. `promoted`: a failover made it one, and it may never have heard of a lock; restart it to have it count.
   * - `unreadable`: it does not answer INFO.
   */
  readonly state: NodeState;
}

/**
 * All locks by majority of one process on one set of servers, made by {@link createRedLockClient}. Make one for a process. It opens two connections to each node, with the
 * first lock.
 *
 * Apart from what is described here it is as a {@link LockClient}: scopes, events, counters and diagnostics channels are the same. The renewals counted are those of all
 * nodes. A node that cannot be reached is an `error` event, told at most every ten seconds, and locks go on without it.
 */
export interface RedLockClient
  extends Pick<LockClientMembers, 'clientId' | 'run' | 'exit' | 'stats' | 'close' | typeof Symbol.asyncDispose> {
  /** Whether a majority of the nodes may vote, and tells messages, as far as is known. No I/O. */
  readonly ready: boolean;
  /** What is known of each node now, in the order of the options. No I/O. */
  readonly nodes: readonly RedLockNode[];
  /**
   * A handle for the lock `name`. No I/O. It is a lock as {@link LockClient.getLock} makes them, and it is held as long as a majority of the
   * nodes says so. On each node it is the re-entrant lock of that name: who holds that one, on one node, has this node's vote.
   *
   * Where it differs: nested calls cost no command; `getHoldCount` counts those of this process, when a majority confirms that it is the owner;
   * `isLocked` and `remainTimeToLive` are about a majority; `forceUnlock` takes the lock at every node that answers, and rejects when those are no majority.
   *
   * @throws TypeError or RangeError when the name or the owner cannot be used, as {@link LockClient.getLock}.
   */
  getRedLock(name: string, options?: LockHandleOptions): RLock;
  /**
   * Resolves when a majority may vote, and has answered within the last second or does now. After the servers were started that can take `longestLeaseMs`.
   *
   * @throws LockUnavailableError when that is not so within `timeoutMs` (default: the client's `responseTimeoutMs`); LockNodesError when two nodes are
   * one server; LockClientClosedError; the signal's reason.
   */
  connect(options?: ConnectOptions): Promise<void>;
  /** As {@link LockClient.on}. */
  on<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): this;
  /** As {@link LockClient.once}. */
  once<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): this;
  /** As {@link LockClient.off}. */
  off<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): this;
}
