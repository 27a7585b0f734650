import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';

const deleteIfMine = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

const NODE_TIMEOUT_MS = 50;

/** System 11: Redlock. The same key and value on N servers that know nothing of each other; held with a majority of them. */
export class Redlock {
  readonly #owner = randomUUID();

  constructor(
    private readonly nodes: readonly Redis[],
    private readonly key: string,
    private readonly leaseMs: number,
  ) {}

  /** For how many milliseconds the lock is valid, or `undefined` when there is no majority. */
  async tryLock(): Promise<number | undefined> {
    const startedAt = performance.now();
    const votes = await Promise.all(this.nodes.map((node) => this.#voteOf(node)));
    const won = votes.filter(Boolean).length;
    const validMs = this.leaseMs - (performance.now() - startedAt) - (0.01 * this.leaseMs + 2);
    if (won > this.nodes.length / 2 && validMs > 0) return validMs;
    await this.unlock();
    return undefined;
  }

  /** On all nodes, also those that seemed to fail: one may have said yes too late. */
  async unlock(): Promise<void> {
    const one = (node: Redis) => node.eval(deleteIfMine, 1, this.key, this.#owner).catch(() => 0);
    await Promise.all(this.nodes.map((node) => Promise.race([one(node), sleep(NODE_TIMEOUT_MS)])));
  }

  async #voteOf(node: Redis): Promise<boolean> {
    const vote = node.set(this.key, this.#owner, 'PX', this.leaseMs, 'NX').catch(() => null);
    return (await Promise.race([vote, sleep(NODE_TIMEOUT_MS)])) === 'OK';
  }
}
