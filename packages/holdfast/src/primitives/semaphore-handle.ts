import type { Backend } from '../backend.js';
import { LockNotHeldError, LockTimeoutError } from '../errors.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import { checkCount, checkKeys, MOST_PERMITS } from '../options.js';
import { shown } from '../reports/caller.js';
import { inFrame } from '../reports/site.js';
import { currentScope } from '../scopes/scope.js';
import { rejection } from '../scopes/settling.js';
import { type NotAcquired, scopeEnded } from '../waiting/waiter.js';
import { callStyles, type LockHost, type NodeHost, startCall } from './acquisition.js';
import { CountedSemaphore, permitCaller } from './counted-semaphore.js';
import { callKeys, checkCall, checkSection, checkSemaphore, type PermitCall, tryCallKeys } from './permit-call.js';
import { PermitHoldHandle } from './permit-hold.js';
import type { TryResult } from './rlock.js';
import { runSection, type Section, type SectionHold } from './section.js';
import type {
  PermitHold,
  PermitOptions,
  PermitSectionOptions,
  RSemaphore,
  SemaphoreOptions,
  TryPermitOptions,
} from './semaphore.js';
import { SemaphoreOperations } from './semaphore-operations.js';

/** Losses that a handle remembers. Code that never gives back what was lost must not cost memory for ever. */
const MOST_LOSSES = 100;

const styles = {
  acquire: callStyles.acquire,
  tryAcquire: callStyles.tryAcquire,
  withPermits: callStyles.withLock,
  tryWithPermits: callStyles.tryWithLock,
} as const;

/** See {@link RSemaphore}. Everything but what `release` gives back lives in the coordinator. */
export class SemaphoreHandle extends CountedSemaphore implements RSemaphore {
  readonly #host: NodeHost;
  readonly #operations: SemaphoreOperations;
  /** Most that a call takes, where it is known: one that wants more than there are would wait without end, and keep out all behind it. */
  readonly #most: number | undefined;
  /**
   * Acquired through this handle and not given back, oldest first. Those that were lost stay until they are, some of them: their release tells.
   * A fixed lease that ran out may have been meant to, and then needs no release.
   */
  readonly #own = new Set<PermitHoldHandle>();
  /** From so many on, those of them that need not stay are looked for. */
  #tidyAt = MOST_LOSSES;

  /** @throws TypeError or RangeError for a name or options that cannot be used. */
  constructor(host: LockHost, backend: Backend, name: string, options: SemaphoreOptions) {
    const { keys, parts, permits } = checkSemaphore('getSemaphore', backend, name, options);
    const own = { ...host, parts };
    const operations = new SemaphoreOperations(keys, backend.granting, permits ?? 0);
    super(own, operations);
    this.#most = permits;
    this.#host = own;
    this.#operations = operations;
  }

  acquire(permits = 1, options: PermitOptions = {}): Promise<PermitHold> {
    const check = () => checkCall('acquire', this.#within(permits), options, callKeys);
    return inFrame(
      this.#call('acquire', check, (outcome, call, joinedAt) => this.#handOver(this.#must(outcome, joinedAt), call)),
    );
  }

  tryAcquire(permits = 1, waitMs = 0, options: TryPermitOptions = {}): Promise<PermitHold | null> {
    const check = () => {
      checkKeys('tryAcquire', options, tryCallKeys);
      return checkCall('tryAcquire', this.#within(permits), { ...options, waitMs }, callKeys);
    };
    return inFrame(this.#try(check));
  }

  #try(check: () => PermitCall): Promise<PermitHold | null> {
    return this.#call('tryAcquire', check, (outcome, call) =>
      typeof outcome === 'string' ? null : this.#handOver(outcome, call),
    );
  }

  async release(permits = 1): Promise<void> {
    checkCount('release: permits', permits, MOST_PERMITS);
    this.#tidy();
    let had = 0;
    for (const hold of this.#own) had += hold.permits;
    if (had < permits) {
      throw new LockNotHeldError(
        this.name,
        `this handle with as many permits as ${permits}: it has ${had}`,
        `Semaphore "${this.name}"`,
      );
    }
    const returning: Promise<void>[] = [];
    let left = permits;
    // A loss is told when nothing is left to give back: nobody is to wait for permits that nobody uses.
    const own = [...this.#own];
    for (const hold of [
      ...own.filter(({ state }) => state !== 'lost'),
      ...own.filter(({ state }) => state === 'lost'),
    ]) {
      const some = Math.min(left, hold.permits);
      left -= some;
      returning.push(hold.release(some));
      if (left === 0) break;
    }
    const failed = (await Promise.allSettled(returning)).find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  withPermits<T>(...args: [Section<T, PermitHold>] | [PermitSectionOptions, Section<T, PermitHold>]): Promise<T> {
    const [options, fn] = args.length === 1 ? [{}, args[0]] : args;
    const check = () => this.#checkSection('withPermits', options, fn);
    return runSection(
      this.#host,
      this.#call('withPermits', check, (outcome, call, joinedAt) => this.#held(this.#must(outcome, joinedAt), call)),
      fn,
    );
  }

  async tryWithPermits<T>(options: PermitSectionOptions, fn: Section<T, PermitHold>): Promise<TryResult<T>> {
    const check = () => this.#checkSection('tryWithPermits', options, fn);
    const held = await shown(
      this.#call('tryWithPermits', check, (outcome, call) =>
        typeof outcome === 'string' ? undefined : this.#held(outcome, call),
      ),
    );
    return held === undefined ? { ran: false } : { ran: true, value: await runSection(this.#host, held, fn) };
  }

  async drainPermits(options: TryPermitOptions = {}): Promise<number> {
    const checked = checkCall('drainPermits', 1, options, tryCallKeys);
    const scope = currentScope(this.#host.client);
    let drained = 0;
    try {
      for (let refused = Infinity; refused > 1; ) {
        const free = Math.min(await this.availablePermits(), MOST_PERMITS);
        if (scope?.ended) throw scopeEnded(this.#operations);
        // The first attempt is made in any case: it may begin the semaphore, and else it says what is wrong, as any acquisition.
        const permits = Math.max(free, drained === 0 ? 1 : 0);
        // Where somebody has taken some meanwhile, the rest is free. Where nobody has, it is kept for who waits.
        if (permits === 0 || permits >= refused) break;
        if (await this.#try(() => ({ ...checked, permits }))) drained += permits;
        else refused = permits;
      }
    } catch (error) {
      // Of permits that it has got its caller is told.
      if (drained === 0) throw error;
    }
    return drained;
  }

  // ---------------------------------------------------------------- acquiring

  /** Every acquisition goes through here. Whatever is refused at once is a rejection too. */
  #call<T>(
    method: keyof typeof styles,
    check: () => PermitCall,
    completion: (outcome: HoldRecord | NotAcquired, call: PermitCall, joinedAt: number) => T,
  ): Promise<T> {
    try {
      const call = check();
      const { permits, ends, options } = call;
      return startCall(permitCaller(this.#host, this.#operations.for({ permits, ends }), ends), {
        style: styles[method],
        options,
        entry: this[method],
        completion: (outcome, joinedAt) => completion(outcome, call, joinedAt),
      });
    } catch (error) {
      return rejection(error);
    }
  }

  #must(outcome: HoldRecord | NotAcquired, joinedAt: number): HoldRecord {
    if (typeof outcome !== 'string') return outcome;
    throw new LockTimeoutError(this.name, this.#host.parts.clock.now() - joinedAt, outcome, this.#operations.primitive);
  }

  /** To code that gives it back, by itself or by `release` of this handle: both are needed no more when neither can be reached. */
  #handOver(record: HoldRecord, { permits }: PermitCall): PermitHold {
    const hold = new PermitHoldHandle(this.#host, this.#operations, { record, permits }, (over) => this.#forget(over));
    if (this.#own.size >= this.#tidyAt) {
      this.#tidy();
      this.#tidyAt = 2 * this.#own.size + MOST_LOSSES;
    }
    this.#own.add(hold);
    this.#host.parts.forgotten.watch(this, record, hold);
    return hold;
  }

  /** Forgets what nobody needs to be told of. */
  #tidy(): void {
    const lost = [...this.#own].filter(({ state }) => state === 'lost');
    const kept = lost.filter(({ ranOut }) => !ranOut).slice(-MOST_LOSSES);
    for (const hold of lost) if (!kept.includes(hold)) this.#forget(hold);
  }

  #forget(hold: PermitHoldHandle): void {
    this.#own.delete(hold);
    this.#host.parts.forgotten.unwatch(hold);
  }

  /** @throws RangeError for more than there are. */
  #within(permits: number): number {
    if (this.#most !== undefined && permits > this.#most)
      throw new RangeError(
        `permits must not be above those of the semaphore, which getSemaphore was given: ${this.#most}`,
      );
    return permits;
  }

  #checkSection(method: string, options: PermitSectionOptions, fn: unknown): PermitCall {
    const call = checkSection(method, options, fn);
    this.#within(call.permits);
    return call;
  }

  /** To a section, which gives them back. */
  #held(record: HoldRecord, { permits }: PermitCall): SectionHold<PermitHold> {
    const hold = new PermitHoldHandle(this.#host, this.#operations, { record, permits }, () => undefined);
    return { record, hold, owner: undefined };
  }
}
