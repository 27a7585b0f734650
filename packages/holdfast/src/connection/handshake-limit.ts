import type { Redis } from 'ioredis';
import { attempt } from './attempt.js';
import type { ConnectionTools } from './connection-tools.js';
import { listenTo } from './listen-to.js';
import { whenOver } from './reading.js';
import { addressOf, isLoading } from './trouble.js';

/** A handshake takes several round trips, whatever an attempt may take. */
const SHORTEST_MS = 1_000;
/** One that takes so long may be with a server that loads its data. ioredis waits for the end of that without a word. */
const LOOK_MS = 200;

/** A stopped process still accepts connections, but never says that it is ready: such a connection of ours is replaced. */
export class HandshakeLimit {
  readonly #redis: Redis;
  readonly #tools: ConnectionTools;
  readonly #onLoading: ((error: Error) => void) | undefined;
  readonly #stop: () => void;
  #limit: { cancel(): void } | undefined;
  #look: { cancel(): void } | undefined;
  /** The server has said so on the present connection, and that it did not answer would not be true. */
  #loads = false;

  /** @param onLoading - told when the server says that it is still loading. */
  constructor(redis: Redis, tools: ConnectionTools, onLoading?: (error: Error) => void) {
    this.#redis = redis;
    this.#tools = tools;
    this.#onLoading = onLoading;
    this.#stop = listenTo(redis, { connect: this.#begin, ready: this.#end, close: this.#end });
  }

  close(): void {
    this.#stop();
    this.#end();
  }

  readonly #begin = (): void => {
    this.#end();
    const redis = this.#redis;
    const tools = this.#tools;
    const timing = { ...tools, clock: tools, waits: tools };
    this.#loads = false;
    if (redis.options.enableReadyCheck) this.#look = tools.after(LOOK_MS, () => void this.#askWhetherLoading());
    const limit = whenOver(Math.max(tools.silenceMs, SHORTEST_MS), timing, () => {
      if (limit !== this.#limit) return;
      // To ioredis it is no error.
      if (!this.#loads)
        redis.emit('error', new Error(`${addressOf(redis)} takes connections and did not answer in time`));
      redis.disconnect(true);
    });
    this.#limit = limit;
  };

  readonly #end = (): void => {
    this.#limit?.cancel();
    this.#limit = undefined;
    this.#look?.cancel();
  };

  /** A server that loads answers INFO, and says so to other commands, of which none is sent to it. */
  async #askWhetherLoading(): Promise<void> {
    const limit = this.#limit;
    const info = await attempt(() => this.#redis.info('persistence')).catch(() => undefined);
    if (limit !== this.#limit || !/^loading:1/m.test(`${info}`)) return;
    this.#loads = true;
    this.#onLoading?.(new Error(isLoading));
  }
}
