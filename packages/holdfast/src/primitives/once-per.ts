import type { HoldRecord } from '../exclusive/hold-record.js';
import { forgetMinimum } from '../exclusive/minimum.js';
import { reentrantPolicy } from '../exclusive/policy.js';
import { checkChoice, checkFunction, checkKeys, checkTime, MIN_LEASE_MS } from '../options.js';
import { shown } from '../reports/caller.js';
import { settling } from '../scopes/settling.js';
import type { OwnedOperations } from '../tenure/operations.js';
import type { LockHost } from './acquisition.js';
import { HoldHandle } from './hold.js';
import { LockHandle, memberOf } from './lock-handle.js';
import type { TryResult } from './rlock.js';
import type { Section } from './section.js';

/** Options of `oncePer`. */
export interface OncePerOptions {
  /**
   * What becomes of the period when the function fails, unless the client was closed meanwhile. `used`: nobody runs it again before the period is over, as after a success. `retry`: the
   * next call runs it, whoever makes that. Default `used`.
   */
  afterError?: 'used' | 'retry' | undefined;
}

const optionKeys = ['afterError'];

/**
 * A section of the lock that keeps it for the period, and is turned away while it is taken.
 *
 * Why the period is kept whatever happens: the lock has a lease of the period before the function runs (`admission.ts`), so Redis counts it from the start
 * by its own clock, and nothing that this process does or fails to do later can end it early: a renewal only raises it, and the end of the section, or of
 * the client, lets the lock rest for what is left. A run that takes longer than the period is renewed like every section, so runs do not overlap.
 */
export async function runOncePer<T>(
  host: LockHost,
  operations: OwnedOperations,
  { periodMs, fn, options }: { periodMs: number; fn: Section<T>; options: OncePerOptions },
): Promise<TryResult<T>> {
  checkTime('oncePer: periodMs', periodMs, MIN_LEASE_MS);
  checkFunction('oncePer(name, periodMs, fn, options)', fn);
  checkKeys('oncePer', options, optionKeys);
  const { afterError = 'used' } = options;
  checkChoice('oncePer: afterError', afterError, ['used', 'retry']);
  let run: HoldRecord | undefined;
  const holdOf = (home: LockHost, record: HoldRecord) => new HoldHandle(home, (run = record));
  const lock = new LockHandle(host, operations, reentrantPolicy, undefined, holdOf);
  // It would re-enter, and run although it runs.
  if (memberOf(lock)?.around() !== undefined) return { ran: false };
  return shown(
    lock.tryWithLock({ minHoldMs: periodMs }, async (hold) => {
      try {
        return await settling(fn(hold));
      } catch (error) {
        if (afterError === 'retry' && run !== undefined) forgetMinimum(run);
        throw error;
      }
    }),
  );
}
