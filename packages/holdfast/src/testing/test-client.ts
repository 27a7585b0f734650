import { lockKeys } from '@holdfast/core';
import {
  type CloseOptions,
  type Hold,
  LockClient,
  type LockClientOptions,
  LockLostError,
  type LockLostReason,
} from 'holdfast';
import { type Backstage, BACKSTAGE } from '../backstage.js';
import { type TestServer, TestSite } from './test-server.js';

/** Options of {@link createTestClient}: those of a client, apart from `redis`, and where it lives. */
export interface TestClientOptions extends Omit<LockClientOptions, 'redis'> {
  /** A server that it shares with other clients, or one of these clients. Default: one of its own. */
  server?: TestServer | undefined;
  /** Whose time its own server has; see {@link TestServerOptions}. Not with `server`. */
  time?: 'own' | 'system' | undefined;
}

/** How {@link TestLockClient.lose} may end a hold. Close the client for `closed`, and end the scope for `scope-ended`. */
export type TestLossReason = Exclude<LockLostReason, 'closed' | 'scope-ended'>;

/** Another process that has a lock. */
export interface OtherHolder {
  /** It gives the lock back, and a call that waits gets it. Nothing happens when it has the lock no longer. */
  free(): Promise<void>;
}

/** A real client, with what a test does to it. */
export interface TestLockClient extends LockClient, TestServer {
  /** Where it lives: hand it to another client, and the two are like two processes on one Redis. */
  readonly server: TestServer;
  /**
   * What this client holds of the lock is lost now: its signal aborts, `state` says `lost`, and the release rejects with a `LockLostError` that
   * has this reason. After `taken` another owner has the lock, for 30 s; after any other reason it is free.
   *
   * Permits of a semaphore are lost likewise, all that this client holds of it, and are free again; but they cannot be `taken`.
   *
   * @throws Error when the client does not hold the lock, RangeError when there is no such reason, or none for a semaphore.
   */
  lose(name: string, reason: TestLossReason): Promise<void>;
  /**
   * Another process takes the lock and keeps it until it is told to free it, also while the server cannot be reached.
   *
   * @throws Error when the lock is held already.
   */
  busy(name: string): Promise<OtherHolder>;
  /**
   * As {@link LockClient.close}. It ends an outage; in its own time, what has to be waited for passes by itself, `drainMs` too, unless the test moves time
   * on meanwhile. Such a drain takes no real time: what holds then wait for outside of this time does not come before they are lost.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** How long another owner has a lock that it took away from its holder. A key is still there in the very millisecond in which it ends. */
const TAKEN_MS = 30_000;
/** Of the process that keeps a lock busy: longer than any test moves time. */
const BUSY_LEASE_MS = 1_000_000_000;

const reasons: ReadonlySet<string> = new Set<TestLossReason>([
  'expired',
  'deleted',
  'taken',
  'force-unlocked',
  'unreachable',
  'clock',
  'max-hold',
]);

/**
 * A lock client without Redis, for tests: the code of a real one, on a server in memory. Nothing is random, and with its own time (the default) nothing
 * depends on how fast the machine is: calls that need no time finish by themselves, and whatever has to wait waits until the test moves time on.
 *
 * Not promised: that it finds what only a real network and a real Redis do. Cluster and Sentinel are not in it.
 *
 * @throws TypeError or RangeError for options that cannot work.
 */
export function createTestClient(options: TestClientOptions = {}): TestLockClient {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('createTestClient: options must be an object');
  if ('redis' in options) throw new TypeError('createTestClient: a test client has no Redis; leave redis out');
  const { server, time, ...rest } = options;
  if (server !== undefined && time !== undefined)
    throw new TypeError('createTestClient: time belongs to the server; leave it out, or give it to createTestServer');
  const site = server === undefined ? new TestSite(time === undefined ? {} : { time }) : siteOf(server);
  const client = open(site, rest);
  let others: LockClient | undefined;
  const close = client.close.bind(client);
  const lockKeyOf = (name: string) => lockKeys(name, { prefix: rest.prefix ?? '' }).lock;

  const controls: Omit<TestLockClient, keyof LockClient> & Pick<LockClient, 'close'> = {
    server: site,
    advance: (ms) => site.advance(ms),
    outage: (ms) => site.outage(ms),
    async lose(name, reason) {
      if (!reasons.has(reason)) throw new RangeError(`lose: "${reason}" is none of ${[...reasons].join(', ')}`);
      const keys = site.memory.keysOf();
      if (reason === 'taken' && typeof keys.find(lockKeyOf(name))?.value === 'string')
        throw new RangeError(
          `lose: "${name}" is a semaphore, whose permits nobody else can take; choose another reason`,
        );
      if (!backstage().lose(client, name, reason)) throw notHeld(name);
      if (reason === 'taken') {
        keys.put(
          lockKeyOf(name),
          new Map([
            ['test:another.1', '1'],
            ['seq', '1'],
          ]),
          keys.nowMs + TAKEN_MS - 1,
        );
      }
      await site.settle();
    },
    async busy(name) {
      const prefix = rest.prefix === undefined ? {} : { prefix: rest.prefix };
      others ??= open(site, { ...prefix, watchdogTimeoutMs: BUSY_LEASE_MS });
      const hold: Hold | null = await others.getLock(name).tryAcquire();
      if (hold === null) throw new Error(`busy: the lock "${name}" is held already`);
      return {
        async free() {
          await hold.release().catch((error: unknown) => {
            if (!(error instanceof LockLostError)) throw error;
          });
          await site.settle();
        },
      };
    },
    async close(closing) {
      await site.finish(Promise.all([close(closing), others?.close()]));
    },
  };
  return Object.assign(client, controls);
}

function open(site: TestSite, options: Omit<LockClientOptions, 'redis'>): LockClient {
  // Where it leads is decided by the surroundings.
  return backstage().make({ ...options, redis: 'redis://test' }, site.surroundings(), 'createTestClient');
}

/** Of the class that the application imports, which is in another file of the package. @throws Error where a mock is in its place. */
function backstage(): Backstage {
  const { [BACKSTAGE]: found } = (LockClient ?? {}) as unknown as { readonly [BACKSTAGE]?: Backstage };
  if (found !== undefined) return found;
  throw new Error(
    'createTestClient: `holdfast` is mocked in this test, and a test client is made of the real one. Leave the mock out, or keep what it does not ' +
      "replace: jest.mock('holdfast', () => ({ ...jest.requireActual('holdfast'), createLockClient: jest.fn() }))",
  );
}

function siteOf(server: TestServer): TestSite {
  const site = 'server' in server ? server.server : server;
  if (site instanceof TestSite) return site;
  throw new TypeError(
    'server must be made by createTestServer, or the server of another test client, both of this copy of holdfast',
  );
}

function notHeld(name: string): Error {
  return new Error(`lose: this client does not hold the lock "${name}"`);
}
