/**
 * What lasts, told from its start to its end, for tracers: a call for a lock, and a section that runs under it. One `TracingChannel` of
 * `node:diagnostics_channel` for each, and one object for each call or section: what comes of it is written there before the channel tells.
 *
 *      start ... end         the call is made, and has returned its promise
 *      error                 it rejects
 *      asyncStart, asyncEnd  it has settled
 *
 * What a subscriber binds to `start` (`channel.bindStore`) is in force inside: the function of a section runs in it. Unheard, no object is made,
 * and all that it costs is a look at whether there is a subscriber.
 */

import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { Inherited } from '../tenure/inherited.js';
import type { LockHoldMessage, LockMessage } from './channels.js';
import { Found } from './found.js';
import type { AcquiredHow } from './stats.js';
import { isThrown } from './thrown.js';

/** A call for a lock: `holdfast:acquire`. What is not known yet is absent. A multi-lock makes one call for each of its members. */
export interface LockAcquireTrace extends LockMessage {
  /** Of the lock. */
  readonly name: string;
  /** How long it is willing to wait, in milliseconds; 0: one attempt; absent: without limit while Redis answers. */
  readonly waitMs?: number | undefined;
  /**
   * What it is answered; `found`: a call of `share` that was told the value while it waited, and needs no lock. Absent when it fails for another
   * reason: see `error`.
   */
  outcome?: 'acquired' | 'busy' | 'found';
  /** With `acquired`: the same in all that is told of one acquisition. */
  holdId?: string;
  /** With `acquired`. */
  how?: AcquiredHow;
  /** With `acquired`, and only when the holder before did not give the lock back: `hold.inherited`. */
  inherited?: Inherited | undefined;
  /** What it rejects with; a LockTimeoutError comes with the outcome `busy`. */
  error?: unknown;
}

/** `withLock` and the like, from the start of its function until the lock is given back: `holdfast:section`. A multi-lock has one for each member. */
export interface LockSectionTrace extends LockHoldMessage {
  /** How it came to the lock. */
  readonly how: AcquiredHow;
  /** See {@link LockAcquireTrace.inherited}. */
  readonly inherited?: Inherited | undefined;
  /** What it rejects with: an error of its function, or a loss. */
  error?: unknown;
}

/** The tracing channels there are, and the object that each tells of. Subscribe with `tracingChannel(name).subscribe`. */
export interface LockTraces {
  /** From a call for a lock to its answer. */
  'holdfast:acquire': LockAcquireTrace;
  /** From the start of a section until its lock is given back. */
  'holdfast:section': LockSectionTrace;
}

/** See {@link LockTraces}. */
export const traces = {
  acquire: tracingChannel<unknown, object>('holdfast:acquire'),
  section: tracingChannel<unknown, object>('holdfast:section'),
} as const;

/** Whether anybody listens. Asked of each channel, since Bun's tracing channels have no `hasSubscribers`. */
export function isTraced({ start, end, error, asyncStart, asyncEnd }: TracingChannel<unknown, object>): boolean {
  // Asked for by each call: no array of them.
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    error.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers
  );
}

/** Runs `run` and tells of it. The outcome is that of `run`, which may also throw. */
export async function traced<T>(
  { start, end, error, asyncStart, asyncEnd }: TracingChannel<unknown, object>,
  trace: LockAcquireTrace | LockSectionTrace,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await start.runStores(trace, () => {
      try {
        return run();
      } finally {
        end.publish(trace);
      }
    });
  } catch (thrown) {
    if (isThrown(thrown, Found)) Object.assign(trace, { outcome: 'found' } satisfies Partial<LockAcquireTrace>);
    else {
      trace.error = thrown;
      error.publish(trace);
    }
    throw thrown;
  } finally {
    asyncStart.publish(trace);
    asyncEnd.publish(trace);
  }
}
