import type { RedisServer } from '../redis/server.js';
import type { ClusterNode } from './cluster-view.js';

/** As it is before any test can drive it. */
const now = performance.now.bind(performance);
/** Servers let an election last for two node timeouts, but for no less than this. */
const shortestElectionMs = 2_000;

/**
 * Which nodes were seen to win an election, and when.
 *
 * Redis (7.0.15, and its source of late 2024; Valkey until its pull request 1711) does not forget the votes of an election that it has won. A
 * node that is a replica again while they count, and shall take over once more, holds no election: it counts the old votes, takes itself for
 * elected, and for master as of *then*. The others know that its master has been elected since, so none accepts it. If that master lives, it
 * puts this right; if it is dead, its slots have no master until it comes back.
 */
export class Elections {
  #masters: ReadonlySet<number>;
  readonly #nodeTimeoutMs: () => Promise<number>;
  readonly #now: () => number;
  readonly #wonAt = new Map<number, number>();

  /**
   * @param masters - ports of those that are masters without an election
   * @param nodeTimeoutMs - asked each time: a test may set it anew
   */
  constructor(masters: Iterable<number>, nodeTimeoutMs: () => Promise<number>, clock = now) {
    this.#masters = new Set(masters);
    this.#nodeTimeoutMs = nodeTimeoutMs;
    this.#now = clock;
  }

  /** To be told of every look at the cluster: an election counts from when it was first seen, which is never too early. */
  see(view: readonly ClusterNode[]): void {
    const masters = view.filter(({ role, slots }) => role === 'master' && slots.length > 0).map(({ port }) => port);
    for (const port of masters) if (!this.#masters.has(port)) this.#wonAt.set(port, this.#now());
    this.#masters = new Set(masters);
  }

  /** A complaint about each replica that would take itself for elected by old votes. */
  async oldVotes(): Promise<string[]> {
    const winners = await this.#formerWinners(1);
    return winners.map(({ port, agoMs }) => `${port} won an election ${Math.round(agoMs)} ms ago, whose votes count`);
  }

  /** Those that would hold an election at once: after its last one a node rests as long again as the votes have counted. */
  async rested(replicas: readonly RedisServer[]): Promise<RedisServer[]> {
    const resting = (await this.#formerWinners(2)).map(({ port }) => port);
    return replicas.filter(({ port }) => !resting.includes(port));
  }

  /** Who has won one within the last so many times for which votes count, and was a replica again when last seen. */
  async #formerWinners(times: number): Promise<{ port: number; agoMs: number }[]> {
    if (this.#wonAt.size === 0) return [];
    const ms = times * Math.max(2 * (await this.#nodeTimeoutMs()), shortestElectionMs);
    return [...this.#wonAt]
      .map(([port, at]) => ({ port, agoMs: this.#now() - at }))
      .filter(({ port, agoMs }) => agoMs <= ms && !this.#masters.has(port));
  }
}
