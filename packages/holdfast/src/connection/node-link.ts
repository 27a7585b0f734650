import type { Redis, RedisOptions } from 'ioredis';
import { type Line, type LineListener, NodeLine, type OwnedRedis } from './line.js';
import type { Link, LinkListener, Refusal } from './link.js';
import type { LinkTools } from './link-tools.js';
import type { Reach } from './reach.js';
import type { SentinelWatch } from './sentinel-watch.js';

const MASTER = 'master';
const everything = () => true;

/** What only a replica says: this connection leads to a server that is no master (any more). */
const demoted: ReadonlySet<string> = new Set(['READONLY', 'MASTERDOWN']);

/** One server, or the master that Sentinel names. Which of several servers that is, is hidden behind one name: only one is the master. */
export class NodeLink implements Link {
  readonly trustsReceivers = true;
  readonly sharded = false;
  readonly #line: NodeLine;
  readonly #sentinels: SentinelWatch | undefined;
  readonly #listeners: LinkListener[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(owned: OwnedRedis, sentinels: SentinelWatch | undefined, tools: LinkTools) {
    const listener: LineListener = {
      onDown: () => this.#down(),
      onUp: () => this.#up(),
      onLastingTrouble: (error) => this.#lastingTrouble(error),
    };
    this.#line = new NodeLine(MASTER, owned, listener, tools);
    this.#sentinels = sentinels;
    sentinels?.mind(owned.redis);
  }

  get keyPrefix(): string {
    return this.#line.redis.options.keyPrefix ?? '';
  }

  get ready(): boolean {
    return this.#line.ready;
  }

  get ended(): boolean {
    return this.#line.ended;
  }

  connect(): void {
    this.#sentinels?.start();
    this.#line.connect();
  }

  listen(listener: LinkListener): void {
    this.#listeners.push(listener);
  }

  lineTo(): Line | undefined {
    return this.#line.ready ? this.#line : undefined;
  }

  troubleWith(): Error | undefined {
    return this.#line.trouble;
  }

  reachOf(): Reach {
    return this.#line.reach;
  }

  whenReady(_lockKey: string, resume: () => void): () => void {
    this.#waiting.add(resume);
    this.connect();
    return () => this.#waiting.delete(resume);
  }

  nodeOf(): string {
    return MASTER;
  }

  batchOf(): string {
    return MASTER;
  }

  refused({ code }: Refusal): undefined {
    if (demoted.has(code)) this.#line.recycle();
  }

  openSubscriber(options: RedisOptions): Redis {
    const redis = this.#line.redis.duplicate(options);
    this.#sentinels?.mind(redis);
    return redis;
  }

  openSubscriberTo(_node: string, options: RedisOptions): Redis {
    return this.openSubscriber(options);
  }

  async close(): Promise<void> {
    this.#waiting.clear();
    await Promise.all([this.#sentinels?.close(), this.#line.close()]);
  }

  #up(): void {
    for (const listener of this.#listeners) listener.onUp(everything);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }

  #lastingTrouble(error: Error): void {
    for (const listener of this.#listeners) listener.onLastingTrouble?.(everything, error);
  }

  #down(): void {
    for (const listener of this.#listeners) listener.onDown(MASTER, everything);
  }
}
