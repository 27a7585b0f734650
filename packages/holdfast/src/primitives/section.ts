import { type AcquireOptions, type CheckedOptions, checkAcquire } from '../acquire-options.js';
import { LockLostError } from '../errors.js';
import { checkFunction } from '../options.js';
import type { LockHost } from './acquisition.js';
import type { Hold } from './hold.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import type { LockParts } from '../client-parts.js';
import { atCaller, shown } from '../reports/caller.js';
import { isTraced, traced, traces } from '../reports/tracing.js';
import { openScope } from '../scopes/scope.js';
import { endScope, inside } from '../scopes/scope-end.js';
import { checkIsDone } from '../scopes/settling.js';

/** So many sections are traced one inside the other on one stack, which thousands would overflow. */
const DEEP = 100;

/** What `withLock` runs while it has the lock. */
export type Section<T, H = Hold> = (hold: H) => T | PromiseLike<T>;

/** What it is called with: options may be left out. */
export type SectionArgs<T, H = Hold> = [Section<T, H>] | [AcquireOptions, Section<T, H>];

export function withOptions<T, H>(args: SectionArgs<T, H>): [AcquireOptions | undefined, Section<T, H>] {
  return args.length === 1 ? [undefined, args[0]] : args;
}

/** The hold that a section runs on. */
export interface SectionHold<H> {
  readonly record: HoldRecord;
  readonly hold: H;
  readonly owner: string | undefined;
}

/** @throws TypeError, RangeError when the options or the function are none. */
export function checkSection(method: string, options: AcquireOptions | undefined, fn: unknown): CheckedOptions {
  const checked = checkAcquire(options, method);
  checkFunction(method, fn);
  return checked;
}

/** It, or the call for it. */
type Had<H> = Promise<SectionHold<H>> | SectionHold<H>;

/** What a section needs of its client. */
type SectionHost = Pick<LockHost, 'client' | 'parts' | 'leftovers'>;

/** Runs `fn` in a scope of its own when its call has the lock, and gives the hold back when it has settled. */
export function runSection<T, H>(host: SectionHost, had: Had<H>, fn: Section<T, H>): Promise<T> {
  return isTraced(traces.section) ? runTraced(host, had, fn) : run(host, had, fn);
}

async function runTraced<T, H>(host: SectionHost, had: Had<H>, fn: Section<T, H>): Promise<T> {
  const held = await shown(Promise.resolve(had));
  return sectionTraced(host.parts, held.record, () => run(host, held, fn));
}

/**
 * One async function from the call to its end: each more is two promises for every lock, and comes back to its caller later. A task that asks again
 * at once should be in the queue before those that wait have had their turns, or the lock goes back to Redis.
 */
async function run<T, H>(host: SectionHost, had: Had<H>, fn: Section<T, H>): Promise<T> {
  let held: SectionHold<H>;
  try {
    held = await had;
  } catch (error) {
    return atCaller(error);
  }
  const { record, hold, owner } = held;
  const scope = openScope('section', host.client);
  record.section = scope;
  if (owner === undefined) scope.own(record);
  let value: T;
  let ending: Promise<unknown> | undefined;
  try {
    try {
      // Since it was given, other code of this turn may have blocked for longer than the lease: somebody else may be inside.
      if (record.lost) atCaller(record.lossError());
      const result = inside(scope, () => fn(hold));
      // What a function that returns no promise has only started is outside from then on.
      if (!(result instanceof Promise)) ending = endScope(scope, host.leftovers);
      value = checkIsDone(await result);
    } finally {
      ending ??= endScope(scope, host.leftovers);
      if (ending !== undefined) await ending;
    }
  } catch (error) {
    await settleAfter(error, record, host.parts);
    throw error;
  }
  try {
    await record.settle();
  } catch (error) {
    atCaller(error);
  }
  return value;
}

/** Runs a section under `record`, and tells of it. */
function sectionTraced<T>(
  { reporter }: Pick<LockParts, 'reporter'>,
  record: HoldRecord,
  section: () => Promise<T>,
): Promise<T> {
  return traced(traces.section, reporter.sectionTrace(record), section);
}

/** As if there were a section for each, one inside the other. */
export function sectionTracedForEach<T>(
  held: readonly { readonly member: { readonly host: SectionHost }; readonly record: HoldRecord }[],
  section: () => Promise<T>,
): Promise<T> {
  return held.reduceRight((inner, { member, record }, index) => {
    const next = index % DEEP === DEEP - 1 ? () => Promise.resolve().then(inner) : inner;
    return () => sectionTraced(member.host.parts, record, next);
  }, section)();
}

/** The body has failed: its error is the one to tell. That of the release is attached to it, unless it says the same. */
export async function settleAfter(
  error: unknown,
  held: Pick<HoldRecord, 'settle'>,
  { reporter }: Pick<LockParts, 'reporter'>,
): Promise<void> {
  try {
    await held.settle();
  } catch (second) {
    if (!tellsToo(error, second)) reporter.error(second);
  }
}

/** Whether `error` says what `second` does, by itself or now as its cause. */
function tellsToo(error: unknown, second: unknown): boolean {
  // What cannot be read or written, as a cause that is only a getter, must not throw in place of the user's error.
  try {
    if (error instanceof LockLostError && second instanceof LockLostError && error.lockName === second.lockName)
      return true;
    return error instanceof Error && error.cause === undefined && Reflect.set(error, 'cause', second);
  } catch {
    return false;
  }
}
