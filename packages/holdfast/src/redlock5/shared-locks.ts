import { type Clock, systemClock } from '@holdfast/watchdog';
import { createLockClient, type LockClient } from 'holdfast';
import { ClientEnd } from './client-end.js';
import { checkUsable } from './only-client.js';
import type { Client } from './votes.js';

/** Is told of trouble in the background. */
export type Hearer = (error: Error) => void;

/** A lock client, until it is closed. */
export interface OpenLocks {
  readonly locks: LockClient;
  /** Aborts when it is closed. */
  readonly closing: AbortSignal;
}

/**
 * What each `Redlock` on one client of ioredis shares: a lock client, and so one connection for messages, however many are made. It ends with the client
 * of ioredis, which is the same for all of them. Whoever hears of trouble is not kept in memory by that: code that makes a `Redlock` for each request
 * lets go of it without a word.
 */
export class SharedLocks {
  readonly #client: Client;
  readonly #clock: Clock = systemClock();
  readonly #hearers = new Set<WeakRef<Hearer>>();
  readonly #forgotten = new FinalizationRegistry<WeakRef<Hearer>>((hearer) => this.#hearers.delete(hearer));
  #open: OpenLocks | undefined;
  #close: () => Promise<void> = () => Promise.resolve();
  #hasQuit = false;

  constructor(client: Client) {
    this.#client = client;
  }

  /** No lock is to be asked for any more, before the client is connected anew. */
  get hasQuit(): boolean {
    return this.#hasQuit;
  }

  /** @param hearer - to be kept by whoever wants to hear. */
  hear(hearer: Hearer): void {
    const ref = new WeakRef(hearer);
    this.#hearers.add(ref);
    this.#forgotten.register(hearer, ref);
  }

  open(): OpenLocks {
    this.#open ??= this.#connect();
    return this.#open;
  }

  /** Gives back what is held, and ends the client of ioredis. */
  async quit(): Promise<void> {
    // ioredis still writes on a connection whose end it has not seen yet.
    this.#hasQuit = true;
    await this.#close();
    try {
      await this.#client.quit();
    } finally {
      // Not `ready`: the `connect()` of a Cluster resolves before that event.
      this.#client.once('connecting', () => {
        this.#hasQuit = false;
      });
    }
  }

  #connect(): OpenLocks {
    const closing = new AbortController();
    const locks = createLockClient({ redis: this.#client });
    locks.on('error', (error) => {
      // Those of now: a listener may make another.
      for (const hearer of [...this.#hearers]) hearer.deref()?.(error);
    });
    let closed: Promise<void> | undefined;
    const close = () => {
      this.#open = undefined;
      end.stop();
      closing.abort();
      closed ??= locks.close();
      return closed;
    };
    // Whoever closes his client, and knows of no other connection, is to have none left.
    const end = new ClientEnd(this.#client, this.#clock, () => void close());
    this.#close = close;
    return { locks, closing: closing.signal };
  }
}

const ofClients = new WeakMap<Client, SharedLocks>();

/** Those of this client: always the same. @throws TypeError when no lock can be had on it. */
export function sharedLocksOf(client: Client): SharedLocks {
  let shared = ofClients.get(client);
  if (shared === undefined) {
    checkUsable(client);
    shared = new SharedLocks(client);
    ofClients.set(client, shared);
  }
  return shared;
}
