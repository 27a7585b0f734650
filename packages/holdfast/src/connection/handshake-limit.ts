import type { Redis } from 'ioredis';
import type { ConnectionTools } from './connection-tools.js';
import { LATE_MS } from './reading.js';
import { addressOf } from './trouble.js';

/** A handshake takes several round trips, whatever an attempt may take. */
const SHORTEST_MS = 1_000;

/** A stopped process still accepts connections, but never says that it is ready: such a connection of ours is replaced. */
export class HandshakeLimit {
  readonly #redis: Redis;
  readonly #tools: ConnectionTools;
  #limit: { cancel(): void } | undefined;

  constructor(redis: Redis, tools: ConnectionTools) {
    this.#redis = redis;
    this.#tools = tools;
    redis.on('connect', this.#begin);
    redis.on('ready', this.#end);
    redis.on('close', this.#end);
  }

  close(): void {
    this.#redis.off('connect', this.#begin);
    this.#redis.off('ready', this.#end);
    this.#redis.off('close', this.#end);
    this.#end();
  }

  readonly #begin = (): void => {
    this.#end();
    const redis = this.#redis;
    const { at, now, silenceMs } = this.#tools;
    const due = now() + Math.max(silenceMs, SHORTEST_MS);
    this.#limit = at(due, () => {
      // The loop stood still, and the answers may be there, unread.
      if (now() - due > LATE_MS) this.#begin();
      else {
        // To ioredis it is no error.
        redis.emit('error', new Error(`${addressOf(redis)} takes connections and did not answer in time`));
        redis.disconnect(true);
      }
    });
  };

  readonly #end = (): void => {
    this.#limit?.cancel();
    this.#limit = undefined;
  };
}
