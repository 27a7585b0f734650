import type { OpenedRedis } from '../connection/redis-input.js';
import type { Connection } from '../connection/connection.js';
import type { Reach } from '../connection/reach.js';
import { addressOf, describeTrouble, isLasting, noConnection } from '../connection/trouble.js';
import type { Backend } from '../backend.js';
import type { Standing } from './standing.js';

/** What a node is to a lock now; {@link RedLockNode.state} says what each word means. */
export type NodeState =
  | 'may vote'
  | 'connecting'
  | 'unreachable'
  | 'silent'
  | 'young'
  | 'replica'
  | 'promoted'
  | 'unreadable';

/** Any would do: all locks of a node are on one server. */
const SOME_LOCK = 'holdfast';

type OpenedNode = Extract<OpenedRedis, { kind: 'node' }>['redis'];

/** One of the servers of a lock by majority. */
export class LockNode {
  readonly backend: Backend;
  readonly standing: Standing;
  /** Host and port, without user and password. */
  readonly address: string;
  readonly #redis: OpenedNode;
  readonly #silentAfterMs: number;

  constructor(redis: OpenedNode, parts: { backend: Backend; standing: Standing; silentAfterMs: number }) {
    this.#redis = redis;
    this.address = addressOf(redis);
    this.backend = parts.backend;
    this.standing = parts.standing;
    this.#silentAfterMs = parts.silentAfterMs;
  }

  /** While it is up. */
  get connection(): Connection | undefined {
    return this.backend.parts.topology.connectionTo(SOME_LOCK);
  }

  get reach(): Reach {
    return this.backend.parts.topology.reachOf(SOME_LOCK);
  }

  /** Makes what is missing to know it. */
  connect(): void {
    this.backend.parts.topology.connect();
    this.standing.learn();
  }

  get mayVote(): boolean {
    return this.state === 'may vote';
  }

  /** A vote that it has just given counts: the server at the other end has not forgotten any other. */
  get mayCount(): boolean {
    return this.standing.verdict.kind === 'may vote';
  }

  /** It has answered, and refuses something for good. Others may make up for it. */
  note(error: Error): void {
    this.backend.note(`${this.address} does not vote`, error);
  }

  /** `silent`: connected, and an answer is owed for longer than a node may take. */
  get state(): NodeState {
    const { reach } = this;
    if (reach.state === 'down') return 'unreachable';
    if (reach.state === 'connecting') return 'connecting';
    const { kind } = this.standing.verdict;
    if (kind === 'unknown') return 'connecting';
    return kind === 'may vote' && reach.silentMs >= this.#silentAfterMs ? 'silent' : kind;
  }

  /** It cannot be reached, and that stays so until somebody changes something. */
  get lastingTrouble(): Error | undefined {
    const trouble = this.#trouble;
    return isLasting(trouble) ? trouble : undefined;
  }

  /** Why it does not vote, in words. */
  get hindrance(): string {
    const { verdict } = this.standing;
    switch (this.state) {
      case 'may vote':
        return 'it may vote';
      case 'silent':
        return 'it does not answer';
      case 'young':
        return 'it was started too short a time ago, and may have forgotten a lock that is held';
      case 'replica':
        return 'it is a replica';
      case 'promoted':
        return 'it was made a master by a failover, and may never have heard of a lock that is held';
      case 'unreadable':
        return `its INFO cannot be read (${verdict.kind === 'unreadable' ? verdict.error.message : ''})`;
      case 'connecting':
      case 'unreachable':
        if (this.#trouble !== undefined) return describeTrouble(this.#trouble);
        // Connected: what ioredis or `standing` asks first is unanswered.
        return /connect$|ready/.test(this.#redis.status) ? 'it does not answer' : noConnection;
    }
  }

  get #trouble(): Error | undefined {
    return this.backend.parts.topology.troubleWith(SOME_LOCK);
  }
}
