/**
 * One computes, the rest get it.
 *
 *      look ---- found ----------------------------------------------> the value
 *        |
 *      wait for the lock of the name, look again ---- found ---------> the value
 *        |
 *      compute, put it beside the lock, give the lock back ----------> the value
 *
 * Why it is right. Only the holder computes, and it puts its value only while it holds, and Redis knows it as the owner that it was when it began; who gets the lock next looks before it computes,
 * so nobody computes while there is a value. When the computing process dies, or fails, its lock goes to the next, who finds nothing and computes.
 * A value ends at a time of the server's, which is fixed before it is sent: a late copy of the command cannot prolong it.
 *
 * What it costs. Who comes late: one command, however many tasks of a process ask at the same time. Of those who wait, the first of each process gets the
 * lock and looks; what it finds or makes is told to all others of the process in memory, which wait for the lock no more.
 */

import type { Backend } from '../backend.js';
import { LockClientClosedError, LockLostError, LockUnavailableError } from '../errors.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import { reentrantPolicy } from '../exclusive/policy.js';
import { callStyles, type LockHost, type NodeHost, siteOf } from '../primitives/acquisition.js';
import type { Hold } from '../primitives/hold.js';
import { type CallInTime, inTime } from '../primitives/in-time.js';
import { LockHandle } from '../primitives/lock-handle.js';
import type { ShareOptions } from '../primitives/share.js';
import { type Shared, ShareOperations } from '../primitives/share-operations.js';
import { Found } from '../reports/found.js';
import type { Entry } from '../reports/site.js';
import { isThrown } from '../reports/thrown.js';
import { currentScope } from '../scopes/scope.js';
import { checkIsDone, settling } from '../scopes/settling.js';
import { query } from '../tenure/query.js';
import { firstLimitMs } from '../waiting/timeout-decision.js';
import { scopeEnded } from '../waiting/waiter.js';
import { type CheckedShare, checkShare, open, sealFailure, sealValue } from './sealing.js';

/** What has been seen, and when. */
interface Seen extends Shared {
  /** Clock time of the question. */
  readonly sentAt: number;
}

/** Under what a value is made. Taken before: who has lost the lock meanwhile must not share under the tenure of its successor here. */
interface Claim {
  readonly tenure: string;
  readonly record: HoldRecord;
}

/** What is to be shared. */
interface Made {
  readonly text: string;
  readonly seen: Seen;
  readonly ttlMs: number;
  readonly claim: Claim | undefined;
}

/** The calls of one client for one name. */
interface Desk {
  calls: number;
  /** That under which one of them computes; the last one when it is over. */
  hold: Hold | undefined;
  /** A look that is under way outside the lock. */
  looking: Promise<Seen> | undefined;
  /** Of those that ask for the lock: each aborts with a {@link Found} when it is known what is shared. */
  readonly waiting: Set<AbortController>;
}

/** See the module comment; one for a client. */
export class Shares {
  readonly #host: NodeHost;
  readonly #backend: Backend;
  readonly #desks = new Map<string, Desk>();

  constructor(host: NodeHost, backend: Backend) {
    this.#host = host;
    this.#backend = backend;
  }

  /** `entry`: the method that the user has called. Rejects with TypeError or RangeError when the options or the name cannot work, with what `fn` throws, and as `RLock.withLock`. */
  async obtain<T>(name: string, options: ShareOptions<T>, entry: Entry): Promise<T> {
    const wish = checkShare(name, options);
    const operations = new ShareOperations(name, this.#backend);
    wish.signal?.throwIfAborted();
    const { clock, settings } = this.#host.parts;
    const scope = currentScope(this.#host.client);
    const joinedAt = clock.now();
    const host = {
      ...this.#host,
      waitingSince: joinedAt,
      site: siteOf(this.#host, undefined, { style: callStyles.withLock, entry }),
    };
    const limitMs = firstLimitMs(wish.waitMs, settings);
    const desk = this.#enter(name);
    try {
      const { signal } = wish;
      const look = { joinedAt, until: joinedAt + Math.min(limitMs, settings.responseTimeoutMs), signal };
      // Who else has the lock, which a call here may wait for, may have it for something else, and for long; and the value may be there by now.
      const isMadeHere = isHeld(desk.hold);
      const found = isMadeHere ? undefined : await this.#lookOutside(operations, desk, look);
      if (typeof found === 'object' && found.text !== undefined) return open(name, found.text, wish.codec);
      // It has cancelled the calls that waited in it, and knows of no look.
      if (scope?.ended) throw scopeEnded(operations);
      // Also when the look is unanswered, and that is not the fault of Redis: the lock tells what becomes of the call.
      return open(name, await this.#underLock(host, operations, desk, wish), wish.codec);
    } finally {
      this.#leave(name, desk);
    }
  }

  /** With the lock, or without when another task of this process has had it first. */
  async #underLock<T>(
    host: LockHost & { readonly waitingSince: number },
    operations: ShareOperations,
    desk: Desk,
    wish: CheckedShare<T>,
  ): Promise<string> {
    const waiting = new AbortController();
    const { signal: given, waitMs } = wish;
    // Not by `AbortSignal.any`: Node 20 keeps something of each in a signal that lives longer, as one of the whole process does.
    const leave = given && this.#host.parts.aborts.subscribe(given, () => waiting.abort(given.reason));
    desk.waiting.add(waiting);
    const lock = new LockHandle(host, operations, reentrantPolicy, undefined);
    const leftMs = waitMs && Math.max(1, Math.ceil(host.waitingSince + waitMs - host.parts.clock.now()));
    const options = { signal: waiting.signal, waitMs: leftMs };
    try {
      return await lock.withLock(options, (hold) => this.#inside(operations, desk, wish, hold));
    } catch (error) {
      if (isThrown(error, Found)) return error.text;
      throw error;
    } finally {
      desk.waiting.delete(waiting);
      leave?.();
    }
  }

  #tell(desk: Desk, text: string): void {
    for (const waiting of desk.waiting) waiting.abort(new Found(text));
  }

  /** What others have made meanwhile, or what `fn` makes now. */
  async #inside<T>(operations: ShareOperations, desk: Desk, wish: CheckedShare<T>, hold: Hold): Promise<string> {
    const { name } = operations;
    const claim = this.#claimOf(operations, hold);
    desk.hold = hold;
    const lookedAt = this.#host.parts.clock.now();
    const seen = await this.#look(operations, desk).catch((error: unknown) => {
      if (claim !== undefined) endsSince(claim.record, lookedAt);
      throw error;
    });
    if (seen.text !== undefined) return seen.text;
    // It may have been lost meanwhile: then others compute, and what `fn` would make is shared with nobody.
    hold.assertHeld();
    let text: string;
    try {
      text = sealValue(name, checkIsDone(await settling(wish.fn(hold))), wish);
    } catch (error) {
      // What the caller itself has ended says nothing about the value.
      if (wish.errorTtlMs === undefined || wish.signal?.aborted || isThrown(error, LockLostError)) throw error;
      await this.#put(operations, desk, { text: sealFailure(error), seen, ttlMs: wish.errorTtlMs, claim });
      throw error;
    }
    await this.#put(operations, desk, { text, seen, ttlMs: wish.ttlMs, claim });
    return text;
  }

  /** Takes no more time than the hold has to be given back in, and ends with it: a lock that is lost is told by the end of the section. */
  async #put(operations: ShareOperations, desk: Desk, { text, seen, ttlMs, claim }: Made): Promise<void> {
    const { clock, reporter } = this.#host.parts;
    if (claim === undefined || !isHeld(claim.record)) return;
    const { tenure, record } = claim;
    const now = clock.now();
    endsSince(record, now);
    const untilMs = seen.nowMs + Math.ceil(now - seen.sentAt) + ttlMs;
    const whileHeld = { joinedAt: now, until: Infinity, signal: record.signal };
    try {
      const putting = query(this.#host.parts, operations, operations.put(tenure, { text, untilMs }));
      const kept = await inTime(this.#host.parts, operations, whileHeld, putting);
      if (kept !== 'lost') this.#tell(desk, text);
    } catch (error) {
      // It was computed all the same; others compute it themselves.
      if (isHeld(record)) reporter.error(error);
    }
  }

  /** Undefined when the hold is over already. */
  #claimOf(operations: ShareOperations, hold: Hold): Claim | undefined {
    if (!isHeld(hold)) return undefined;
    const lock = this.#host.registry.find(operations);
    const record = lock?.holds.all.at(-1);
    const tenure = record && lock?.lockOf(record)?.tenure?.id;
    return record && tenure !== undefined ? { tenure, record } : undefined;
  }

  /** One look for all who come while it is under way, each with its own patience. Rejects when that is over and Redis is silent. */
  async #lookOutside(operations: ShareOperations, desk: Desk, call: CallInTime): Promise<Seen | 'unanswered'> {
    const { parts, registry } = this.#host;
    const look = () => {
      registry.admit(operations.name);
      return inTime(parts, operations, call, (desk.looking ??= this.#lookUntilClosed(operations, desk)));
    };
    const joins = desk.looking !== undefined;
    try {
      return await look();
    } catch (error) {
      // The patience of the call that began it is over. One more outlasts that of all that had joined it.
      if (joins && error instanceof LockUnavailableError && parts.clock.now() < call.until) return look();
      throw error;
    }
  }

  #lookUntilClosed(operations: ShareOperations, desk: Desk): Promise<Seen> {
    const { registry } = this.#host;
    return new Promise((resolve, reject) => {
      const waiting = { refuseWaiting: () => reject(new LockClientClosedError(operations.name)) };
      registry.enlist(waiting);
      const looked = this.#look(operations, desk).finally(() => {
        registry.leave(waiting);
        desk.looking = undefined;
      });
      looked.then(resolve, reject);
    });
  }

  /** What is there is told to those who wait for the lock: they have looked before. */
  async #look(operations: ShareOperations, desk: Desk): Promise<Seen> {
    const sentAt = this.#host.parts.clock.now();
    const seen = { ...(await query(this.#host.parts, operations, operations.look())), sentAt };
    if (seen.text !== undefined && desk.calls > 1) this.#tell(desk, seen.text);
    return seen;
  }

  #enter(name: string): Desk {
    const desk = this.#desks.get(name) ?? {
      calls: 0,
      hold: undefined,
      looking: undefined,
      waiting: new Set(),
    };
    this.#desks.set(name, desk);
    desk.calls++;
    return desk;
  }

  #leave(name: string, desk: Desk): void {
    if (--desk.calls === 0) this.#desks.delete(name);
  }
}

function isHeld(hold: Pick<Hold, 'state'> | undefined): boolean {
  const state = hold?.state;
  return state === 'held' || state === 'suspect';
}

/** What has been asked since then and the release have the time of one answer in all. */
function endsSince(record: HoldRecord, time: number): void {
  record.terms = { ...record.terms, endsSince: time };
}
