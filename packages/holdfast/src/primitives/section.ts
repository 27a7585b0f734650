import { type AcquireOptions, type CheckedOptions, checkAcquire } from '../acquire-options.js';
import { LockLostError } from '../errors.js';
import { checkFunction } from '../options.js';
import type { Hold } from './hold.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import type { LockParts } from '../client-parts.js';
import { atCaller } from '../reports/caller.js';
import { traced, traces } from '../reports/tracing.js';
import { openScope } from '../scopes/scope.js';
import { type Leftovers, runScope } from '../scopes/scope-end.js';

/** What `withLock` runs while it has the lock. */
export type Section<T, H = Hold> = (hold: H) => T | PromiseLike<T>;

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

/** What a section needs of its client. */
interface SectionHost {
  readonly client: object;
  readonly parts: LockParts;
  readonly leftovers: Leftovers;
}

/** Runs `fn` in a scope of its own, and gives the hold back when it has settled. */
export function runSection<T, H>(host: SectionHost, held: SectionHold<H>, fn: Section<T, H>): Promise<T> {
  if (!traces.section.hasSubscribers) return run(host, held, fn);
  return sectionTraced(host.parts, held.record, () => run(host, held, fn));
}

/** Runs a section under `record`, and tells of it. */
export function sectionTraced<T>(
  { reporter }: Pick<LockParts, 'reporter'>,
  record: HoldRecord,
  section: () => Promise<T>,
): Promise<T> {
  return traced(traces.section, reporter.sectionTrace(record), section);
}

async function run<T, H>(host: SectionHost, { record, hold, owner }: SectionHold<H>, fn: Section<T, H>): Promise<T> {
  const scope = openScope('section', host.client);
  record.section = scope;
  if (owner === undefined) scope.own(record);
  let value: T;
  try {
    value = await runScope(scope, () => fn(hold), host.leftovers);
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

/** The body has failed: its error is the one to tell. That of the release is attached to it, unless it says the same. */
export async function settleAfter(
  error: unknown,
  held: Pick<HoldRecord, 'settle'>,
  { reporter }: Pick<LockParts, 'reporter'>,
): Promise<void> {
  try {
    await held.settle();
  } catch (second) {
    if (error instanceof LockLostError && second instanceof LockLostError && error.lockName === second.lockName) return;
    if (error instanceof Error && error.cause === undefined && Object.isExtensible(error)) error.cause = second;
    else reporter.error(second);
  }
}
