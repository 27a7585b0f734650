import type { Redis } from 'ioredis';

/** What a process and its server have in hand at one moment. */
export interface Footprint {
  /** JavaScript heap in use after a full collection. */
  readonly heapBytes: number;
  /** Timers that were set and have neither run nor been cleared, unref'd ones included. */
  readonly timers: number;
  /** Channels with a subscriber. */
  readonly subscriptions: number;
  readonly connections: number;
  readonly keys: number;
}

/** Counts pending timers: every one made while it watches, by whoever. */
export class PendingTimers {
  readonly #pending = new Set<unknown>();
  readonly #set = globalThis.setTimeout;
  readonly #clear = globalThis.clearTimeout;

  constructor() {
    const pending = this.#pending;
    const set = this.#set;
    const clear = this.#clear;
    const counting = (run: (...given: unknown[]) => void, delayMs?: number, ...given: unknown[]) => {
      const timer: NodeJS.Timeout = set(() => {
        pending.delete(timer);
        run(...given);
      }, delayMs);
      pending.add(timer);
      return timer;
    };
    globalThis.setTimeout = Object.assign(counting, { __promisify__: set.__promisify__ }) as typeof setTimeout;
    globalThis.clearTimeout = (timer) => {
      pending.delete(timer);
      clear(timer);
    };
  }

  get count(): number {
    return this.#pending.size;
  }

  restore(): void {
    globalThis.setTimeout = this.#set;
    globalThis.clearTimeout = this.#clear;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What is reachable, in bytes. Needs `--expose-gc`. */
export async function liveHeapBytes(): Promise<number> {
  if (gc === undefined) throw new Error('Run node with --expose-gc');
  // Finalizers and settled promises of one collection free more in the next.
  for (let i = 0; i < 4; i++) {
    await turn();
    gc();
  }
  return process.memoryUsage().heapUsed;
}

/** @param admin - a connection of the caller's; it counts among the connections. */
export async function footprint(admin: Redis, timers: PendingTimers): Promise<Footprint> {
  const channels = await admin.pubsub('CHANNELS');
  const clients = String(await admin.client('LIST'));
  return {
    keys: await admin.dbsize(),
    subscriptions: channels.length,
    connections: clients.trim().split('\n').length,
    timers: timers.count,
    heapBytes: await liveHeapBytes(),
  };
}
