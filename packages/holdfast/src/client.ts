import { Backend } from './backend.js';
import { BACKSTAGE, type Backstage } from './backstage.js';
import { ClientBase, hostOf } from './client-base.js';
import { checkConnect, checkHandle } from './client-calls.js';
import { begin } from './common-parts.js';
import { ElectionHandle } from './election/election-handle.js';
import { fairPolicy, reentrantPolicy } from './exclusive/policy.js';
import { cardOf, connectionNameOf } from './identity.js';
import { inspectLock, type LockInspection } from './inspection/inspection.js';
import { type ListedLock, listLocks, type ListLocksOptions } from './inspection/lock-list.js';
import { Registration } from './inspection/registration.js';
import { Latches } from './latch/latches.js';
import { none } from './lists.js';
import type { ConnectOptions, LockClientMembers, LockHandleOptions, SpinLockOptions } from './lock-client.js';
import { checkKeys, checkOwner, type LockClientOptions } from './options.js';
import type { NodeHost } from './primitives/acquisition.js';
import { CountDownLatchHandle, type RCountDownLatch } from './primitives/count-down-latch.js';
import type { Election } from './primitives/election.js';
import { ExpirableSemaphoreHandle } from './primitives/expirable-semaphore-handle.js';
import type { RPermitExpirableSemaphore } from './primitives/expirable-semaphore.js';
import { FencedLockHandle } from './primitives/fenced-handle.js';
import type { RFencedLock } from './primitives/fenced-lock.js';
import { LockHandle } from './primitives/lock-handle.js';
import { membersInOrder } from './primitives/members.js';
import { MultiLockHandle } from './primitives/multi-lock-handle.js';
import type { MultiLock } from './primitives/multi-lock.js';
import { type OncePerOptions, runOncePer } from './primitives/once-per.js';
import { NodeQuestions } from './primitives/questions.js';
import { type ReadWriteLock, readWriteLock, type ReadWriteLockOptions } from './primitives/read-write-lock.js';
import type { RLock, TryResult } from './primitives/rlock.js';
import type { Section } from './primitives/section.js';
import { SemaphoreHandle } from './primitives/semaphore-handle.js';
import type { RSemaphore, SemaphoreOptions } from './primitives/semaphore.js';
import type { ShareOptions } from './primitives/share.js';
import { checkSpin, spinKeys } from './primitives/spin-options.js';
import { shown } from './reports/caller.js';
import { methodOf } from './reports/site.js';
import { resolveSettings } from './settings.js';
import { Shares } from './share/shares.js';
import { refuseSurplus } from './surplus.js';
import { type Surroundings, systemSurroundings } from './surroundings.js';
import { SpinWakeup } from './tenure/spin-wakeup.js';

const spinHandleKeys = ['owner', ...spinKeys];

/** What the clients of every copy of the library have. */
const brand = Symbol.for('holdfast.client');

/** Where the constructor can be reached: it is for {@link createLockClient}, and for `holdfast/testing`. */
let make: Backstage['make'];

/**
 * All locks of one process on one Redis, made by {@link createLockClient}. Make one for a process, not one for a request: two clients never
 * re-enter each other's locks.
 *
 * It opens up to two connections of its own (with your own `Redis`: one, for messages), with the first lock; behind Sentinel also one to each
 * sentinel, in a Cluster one to each master that keeps a lock of yours. Nothing it does in the background rejects unhandled or throws.
 *
 * The class of that name is there for `instanceof` and as a token of dependency injection; its constructor is not for use. The type is an interface:
 * an object of your own that has these members can be used in place of a client, in a test.
 */
export interface LockClient extends LockClientMembers {}

/** See {@link LockClient}. */
class Client extends ClientBase implements LockClientMembers {
  readonly #backend: Backend;
  readonly #host: NodeHost;
  readonly #latches: Latches;
  readonly #shares: Shares;

  static {
    make = (...from) => new this(...from);
    const backstage: Backstage = {
      make,
      lose: (client, name, reason) => #host in client && client.#host.registry.takeAway(name, reason),
    };
    Object.defineProperty(this, BACKSTAGE, { value: backstage });
    Object.defineProperty(this.prototype, brand, { value: true });
    // In each copy of the library: an application may have loaded its ESM and its CommonJS build, or a test its modules anew.
    Object.defineProperty(this, Symbol.hasInstance, {
      value: (value: unknown) => typeof value === 'object' && value !== null && brand in value,
    });
    // A token of dependency injection is called by it in messages, whatever a bundler made of the class.
    Object.defineProperty(this, 'name', { value: 'LockClient', configurable: true });
  }

  private constructor(options: LockClientOptions, surroundings: Surroundings, method?: string) {
    if (!(surroundings as unknown)) throw new TypeError('clients are made by createLockClient(), not by new');
    const settings = resolveSettings(options, method);
    const { clientId, common, background, stamp } = begin(settings, surroundings, () => host.registry.coordinators());
    const card = settings.identity && cardOf(settings.identity, surroundings.whereabouts());
    const connectionName = card && connectionNameOf(card.name);
    const backend = new Backend(surroundings.openRedis(options.redis, connectionName), common, {
      clientId,
      connectionName,
      grants: settings.replicas === undefined ? 'believed' : 'asked about',
      heldOn: ({ id, operations }) => host.registry.find(operations)?.heldUnder(id) ?? none,
    });
    const { parts } = backend;
    const registration = card && stamp && new Registration(parts, background, stamp, card);
    const host = hostOf(parts, new NodeQuestions(parts));
    super(host, {
      refuseWaiting: () => backend.refuseWaiting(),
      disconnect: async () => {
        await registration?.end();
        await backend.close();
      },
      background,
    });
    this.#backend = backend;
    this.#host = host;
    this.#shares = new Shares(host, backend);
    this.#latches = new Latches(parts, host.registry);
  }

  getLock(name: string, options: LockHandleOptions = {}): RLock {
    const operations = this.#backend.lockOperations(name);
    return new LockHandle(this.#host, operations, reentrantPolicy, checkHandle('getLock', options));
  }

  getFairLock(name: string, options: LockHandleOptions = {}): RLock {
    const operations = this.#backend.lockOperations(name, 'fair');
    const host = { ...this.#host, parts: this.#backend.inLine };
    return new LockHandle(host, operations, fairPolicy, checkHandle('getFairLock', options));
  }

  getFencedLock(name: string, options: LockHandleOptions = {}): RFencedLock {
    const operations = this.#backend.fencedOperations(name);
    return new FencedLockHandle(this.#host, operations, checkHandle('getFencedLock', options));
  }

  getSpinLock(name: string, options: SpinLockOptions = {}): RLock {
    const operations = this.#backend.lockOperations(name, 'spin');
    checkKeys('getSpinLock', options, spinHandleKeys);
    const { backOff, maxAttempts } = checkSpin(options);
    const host = { ...this.#host, parts: this.#backend.partsWith({ wakeup: new SpinWakeup(backOff) }), maxAttempts };
    return new LockHandle(host, operations, reentrantPolicy, checkOwner('getSpinLock', options.owner));
  }

  getReadWriteLock(name: string, options: ReadWriteLockOptions = {}): ReadWriteLock {
    return readWriteLock(this.#host, this.#backend, name, options);
  }

  getSemaphore(name: string, options: SemaphoreOptions = {}): RSemaphore {
    return new SemaphoreHandle(this.#host, this.#backend, name, options);
  }

  getPermitExpirableSemaphore(name: string, options: SemaphoreOptions = {}): RPermitExpirableSemaphore {
    return new ExpirableSemaphoreHandle(this.#host, this.#backend, name, options);
  }

  getMultiLock(members: readonly (RLock | string)[], ...surplus: readonly unknown[]): MultiLock {
    refuseSurplus(surplus, 'getMultiLock', 'one list of names and locks');
    const inOrder = membersInOrder(members, (name) => this.getLock(name));
    return new MultiLockHandle(this.#host, inOrder);
  }

  getCountDownLatch(name: string, ...surplus: readonly unknown[]): RCountDownLatch {
    refuseSurplus(surplus, 'getCountDownLatch', 'a name (its count is set by trySetCount)');
    return new CountDownLatchHandle(this.#host, this.#backend, this.#latches, name);
  }

  election(name: string, ...surplus: readonly unknown[]): Election {
    refuseSurplus(surplus, 'election', 'a name (options are for campaign)');
    return new ElectionHandle(this.#host, this.#backend, name);
  }

  share<T>(name: string, options: ShareOptions<T>): Promise<T> {
    return shown(this.#shares.obtain(name, options, methodOf(this, 'share')));
  }

  async oncePer<T>(
    name: string,
    periodMs: number,
    fn: Section<T>,
    options: OncePerOptions = {},
  ): Promise<TryResult<T>> {
    return runOncePer({ ...this.#host, entry: methodOf(this, 'oncePer') }, this.#backend.lockOperations(name), {
      periodMs,
      fn,
      options,
    });
  }

  async connect(options: ConnectOptions = {}): Promise<void> {
    await shown(this.#backend.whenReady(checkConnect(options, this.#host.parts)));
  }

  get ready(): boolean {
    return this.#backend.ready;
  }

  troubleWith(name: string): Error | undefined {
    return this.#host.parts.topology.troubleWith(this.#backend.lockKeys(name).lock);
  }

  async inspect(name: string): Promise<LockInspection> {
    this.#backend.lockKeys(name);
    this.#host.registry.admit(name);
    return await inspectLock(this.#backend, name);
  }

  listLocks(options: ListLocksOptions = {}): AsyncGenerator<ListedLock, void, undefined> {
    return listLocks({ backend: this.#backend, registry: this.#host.registry }, options);
  }
}

/**
 * The class of clients, for `instanceof` and as a token: containers want a class that could be made. Interface and class are two declarations of one name: a class
 * alone, which has private members, would accept its own instances only, and an object that a test puts in place of a client could not be handed on without a cast.
 */
export const LockClient = Client as unknown as (new (notForUse: {
  readonly clientsAreMadeByCreateLockClient: never;
}) => LockClient) & {
  readonly prototype: LockClient;
};

/**
 * A lock client for one Redis. No I/O happens before the first call that needs Redis.
 *
 * @throws TypeError or RangeError for options that cannot work, with the reason.
 */
export function createLockClient(options: LockClientOptions): LockClient;
export function createLockClient(options: LockClientOptions, ...surplus: readonly unknown[]): LockClient {
  refuseSurplus(surplus, 'createLockClient', 'one object of options');
  return make(options, systemSurroundings());
}

/** A client that lives in other surroundings than those of this process. For this repository's own packages. */
export function createLockClientIn(surroundings: Surroundings, options: LockClientOptions): LockClient {
  return make(options, surroundings);
}
