import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { systemClock } from '@holdfast/watchdog';
import { type Hold, LockClientClosedError, LockError } from 'holdfast';
import { checkDuration, checkResources } from './arguments.js';
import { ExecutionError } from './errors.js';
import { tellExpiration } from './expiration.js';
import { AutomaticExtension } from './extension.js';
import { onlyClient, setOf } from './only-client.js';
import { acquirePatiently, listed, vote } from './patience.js';
import { defaultSettings, type Settings, settingsOver } from './settings.js';
import { type RedlockAbortSignal, routineSignal } from './routine-signal.js';
import { type SharedLocks, sharedLocksOf } from './shared-locks.js';
import { type Attempts, type Client, type ExecutionResult, votedAgainst, votedFor } from './votes.js';

/** Resources that are held, until they are released or their time is over. Made by `acquire` and `extend`: one of your own making holds nothing. */
export class Lock {
  /** Whose it is. */
  readonly redlock: Redlock;
  /** Their names, as they were asked for. */
  readonly resources: string[];
  /** An id of this acquisition, for logs. It is not in Redis. */
  readonly value: string;
  /** How it was had: one attempt, or none where another `Redlock` has made it. */
  readonly attempts: Attempts;
  /**
   * By `Date.now()`: until then the resources are held, for certain. 0 when they are not held any more, and when `extend` has given another object in its place.
   */
  expiration: number;

  constructor(redlock: Redlock, resources: string[], value: string, attempts: Attempts, expiration: number) {
    this.redlock = redlock;
    this.resources = resources;
    this.value = value;
    this.attempts = attempts;
    this.expiration = expiration;
  }

  /** Gives the resources back. @throws as `Redlock.release`. */
  release(): Promise<ExecutionResult> {
    return this.redlock.release(this);
  }

  /** Raises the time to `duration` milliseconds from now, and resolves with the lock to go on with. @throws as `Redlock.extend`. */
  extend(duration: number): Promise<Lock> {
    return this.redlock.extend(this, duration);
  }
}

/** What {@link Redlock.using} runs. */
export type Routine<T> = (signal: RedlockAbortSignal) => Promise<T>;

const MARGIN_MS = 100;

/**
 * The class of redlock 5, over locks of holdfast on one Redis, one master behind Sentinel, or one Cluster. Its locks are those of `getLock` and
 * `getMultiLock` with the same names; they exclude those of the package redlock too, so processes can be moved one after the other.
 *
 * The event `error` tells of each question that found a lock busy ({@link ResourceLockedError}): when that is found, and once more when a wait for it
 * ends in vain. It also tells of trouble in the background. Without a listener it is no exception.
 */
export class Redlock extends EventEmitter {
  /** The one that it was made with. */
  readonly clients: Set<Client>;
  /** Those that it was given, over the defaults. */
  readonly settings: Settings;
  readonly #client: Client;
  readonly #clock = systemClock();
  readonly #holds = new WeakMap<Lock, Hold>();
  readonly #shared: SharedLocks;
  /** What a listener throws changes nothing for the call that is told of. */
  readonly #tell = (error: Error): void => {
    try {
      this.emit('error', error);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : typeof thrown;
      process.emitWarning(`A listener of the "error" event of Redlock threw: ${why}`, 'HoldfastWarning');
    }
  };

  /**
   * No I/O happens before the first lock. That opens one more connection, for messages, which all `Redlock` on this client share. It is closed with yours;
   * {@link quit} closes both.
   *
   * @param clients - one client of ioredis. For several use `createRedLockClient`: see `docs/redlock.md`.
   * @throws TypeError or RangeError for clients, settings or scripts that cannot be used.
   */
  constructor(clients: Iterable<Client>, settings: Partial<Settings> = {}, scripts?: Record<string, never>) {
    super();
    this.on('error', () => undefined);
    this.clients = setOf(clients);
    this.#client = onlyClient(this.clients);
    if (scripts !== undefined && Object.keys(scripts).length > 0)
      throw new TypeError('Redlock: the scripts of holdfast cannot be exchanged');
    this.settings = settingsOver(defaultSettings, settings);
    this.#shared = sharedLocksOf(this.#client);
    this.#shared.hear(this.#tell);
  }

  /**
   * Gives back what is held, by every `Redlock` on this client, closes the connection for messages, and calls `quit()` of the client. `acquire` and `using`
   * reject from then on, with nothing sent, until you have connected that client anew.
   */
  quit(): Promise<void> {
    return this.#shared.quit();
  }

  /**
   * Takes all resources, or none. Two calls never share them, whatever code they are made from.
   *
   * @param duration - how long, in whole milliseconds, at least 100.
   * @throws ExecutionError when they were not had in the time that `retryCount` and `retryDelay` give; TypeError or RangeError at once for names,
   * a duration or settings that cannot be used.
   */
  async acquire(resources: string[], duration: number, settings?: Partial<Settings>): Promise<Lock> {
    const chosen = settingsOver(this.settings, settings);
    checkResources(resources);
    checkDuration(duration);
    if (this.#shared.hasQuit) await this.#do('take', resources, () => Promise.reject(new LockClientClosedError()));
    const { locks, closing } = this.#shared.open();
    const [name, ...others] = resources;
    const lock = name !== undefined && others.length === 0 ? locks.getLock(name) : locks.getMultiLock(resources);
    const patience = {
      duration,
      settings: chosen,
      clock: this.#clock,
      closing,
      onFailure: (error: unknown) => this.#tell(vote(error, resources)),
    };
    const hold = await this.#do('take', resources, () => acquirePatiently(lock, patience));
    return this.#lockOf(hold, { resources, value: randomUUID(), duration, driftFactor: chosen.driftFactor });
  }

  /**
   * Gives the resources back.
   *
   * @throws ExecutionError when they had been lost, or released before.
   */
  async release(lock: Lock, _settings?: Partial<Settings>): Promise<ExecutionResult> {
    const hold = this.#holdOf(lock);
    lock.expiration = 0;
    await this.#do('release', lock.resources, async () => {
      hold.assertHeld();
      await hold.release();
    });
    return { attempts: votedFor(this.#client) };
  }

  /**
   * Keeps the resources for at least `duration` from now. Go on with the lock that this resolves with: `existing` tells no expiration any more.
   *
   * @throws ExecutionError when they had been lost or released, or Redis did not do it; RangeError when `duration` is no length of a lease.
   */
  async extend(existing: Lock, duration: number, settings?: Partial<Settings>): Promise<Lock> {
    const { driftFactor } = settingsOver(this.settings, settings);
    const { resources, value } = existing;
    const hold = this.#holdOf(existing);
    checkDuration(duration);
    await this.#do('extend', resources, () => hold.extend(duration));
    existing.expiration = 0;
    return this.#lockOf(hold, { resources, value, duration, driftFactor });
  }

  /**
   * Runs `routine` while it holds the resources, which are extended for as long as that takes. The signal aborts when they are lost: at the end of
   * their lease at the latest, also when Redis cannot be reached.
   *
   * @throws ExecutionError as `acquire`, and when they were lost meanwhile; else what `routine` throws.
   */
  using<T>(resources: string[], duration: number, settings: Partial<Settings>, routine?: Routine<T>): Promise<T>;
  /** The same with the settings of this `Redlock`. */
  using<T>(resources: string[], duration: number, routine: Routine<T>): Promise<T>;
  async using<T>(
    resources: string[],
    duration: number,
    settingsOrRoutine: Partial<Settings> | Routine<T>,
    optionalRoutine?: Routine<T>,
  ): Promise<T> {
    const [given, routine] =
      typeof settingsOrRoutine === 'function' ? [undefined, settingsOrRoutine] : [settingsOrRoutine, optionalRoutine];
    if (typeof routine !== 'function') throw new TypeError('Redlock: using needs a routine');
    const settings = settingsOver(this.settings, given);
    const { automaticExtensionThreshold } = settings;
    if (automaticExtensionThreshold > duration - MARGIN_MS) {
      throw new RangeError(
        `Redlock: automaticExtensionThreshold (${automaticExtensionThreshold}) must be ${MARGIN_MS} ms below the duration (${duration}) at least`,
      );
    }
    const lock = await this.acquire(resources, duration, settings);
    const hold = this.#holdOf(lock);
    const extension = new AutomaticExtension(hold, this.#clock, {
      durationMs: duration,
      thresholdMs: automaticExtensionThreshold,
    });
    const signal = this.#signalOf(hold, resources, extension);
    const leave = async () => {
      await extension.stop();
      if (!signal.aborted) return this.release(lock);
      await hold.release().catch(() => undefined);
      signal.throwIfAborted();
    };
    let value: T;
    try {
      value = await routine(signal);
    } catch (error) {
      // What is wrong with the lock is told by the event `error`, and to the routine by its signal.
      await leave().catch(() => undefined);
      throw error;
    }
    await leave();
    return value;
  }

  // ---------------------------------------------------------------- within

  #holdOf(lock: Lock): Hold {
    const hold = this.#holds.get(lock);
    if (hold === undefined) throw new ExecutionError('Redlock: this lock was not made by this Redlock', []);
    return hold;
  }

  #lockOf(
    hold: Hold,
    { resources, value, duration, driftFactor }: Pick<Lock, 'resources' | 'value'> & LeaseOfLock,
  ): Lock {
    const lock = new Lock(this, resources, value, votedFor(this.#client), 0);
    tellExpiration(lock, hold, duration - Math.round(driftFactor * duration));
    this.#holds.set(lock, hold);
    return lock;
  }

  #signalOf(hold: Hold, resources: readonly string[], extension: AutomaticExtension): RedlockAbortSignal {
    const { signal: lost } = hold;
    const routine = routineSignal(() => void hold.signal);
    const abort = () => {
      const against = vote(lost.reason, resources);
      routine.abort(this.#failure('keep', resources, against, { cause: lost.reason, trouble: extension.trouble }));
      this.#tell(against);
    };
    if (lost.aborted) abort();
    else lost.addEventListener('abort', abort, { once: true });
    return routine.signal;
  }

  /** Whatever holdfast rejects with is an error of redlock; mistakes of the caller are what they are. */
  async #do<T>(what: Deed, resources: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LockError)) throw error;
      const against = vote(error, resources);
      this.#tell(against);
      throw this.#failure(what, resources, against, { cause: error });
    }
  }

  #failure(
    what: Deed,
    resources: readonly string[],
    against: Error,
    { cause, trouble }: { readonly cause: unknown; readonly trouble?: string | undefined },
  ): ExecutionError {
    // Its cause is one further away than it says.
    const said = against.message.replace('error.cause', 'error.cause.cause');
    const why = trouble === undefined ? said : `${said}; ${trouble}`;
    const message = `Redlock: could not ${what} ${listed(resources)}: ${why}`;
    return new ExecutionError(message, votedAgainst(this.#client, against), { cause });
  }
}

type Deed = 'take' | 'keep' | 'extend' | 'release';

interface LeaseOfLock {
  readonly duration: number;
  readonly driftFactor: number;
}
