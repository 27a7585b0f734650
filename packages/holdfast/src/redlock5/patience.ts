/**
 * How long a call of redlock waits.
 *
 * redlock asks `retryCount` times more, with pauses. Here the lock is asked for once, however long the answer takes; when it is busy the call waits in
 * line, by message, for as long as redlock's pauses would have taken. Only of what no message tells is it asked again: while Redis is away, and
 * while a process that still runs the package redlock holds the resource, under a key that is no lock of holdfast.
 */

import type { Clock } from '@holdfast/watchdog';
import {
  type Hold,
  LockLostError,
  LockRefusedError,
  LockTimeoutError,
  LockUnavailableError,
  type RLock,
} from 'holdfast';
import { MAX_TIME_MS } from './arguments.js';
import { ResourceLockedError } from './errors.js';
import { pauseMs, type Settings, waitWindowMs } from './settings.js';
import { untilLost } from './until-lost.js';

/** What is lost before the call has an answer was never its lock. */
const passing = [LockTimeoutError, LockUnavailableError, LockRefusedError, LockLostError];
const mayPass = (error: unknown) => passing.some((type) => error instanceof type);

/** Whether somebody else has the lock: of holdfast, or of redlock. */
const isBusy = (error: unknown): boolean =>
  error instanceof LockTimeoutError || (error instanceof LockRefusedError && error.redisCode === 'NOTALOCK');

export const listed = (resources: readonly string[]): string => resources.map((name) => `"${name}"`).join(', ');

/** What a client that did not agree says. */
export function vote(error: unknown, resources: readonly string[]): Error {
  if (isBusy(error)) {
    const orSome = resources.length > 1 ? ', or a part of that' : '';
    return new ResourceLockedError(`somebody else has ${listed(resources)}${orSome}`);
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** How a lock is to be had. */
export interface Patience {
  readonly duration: number;
  readonly settings: Settings;
  readonly clock: Clock;
  /** Ends a pause: the next question finds the client closed. */
  readonly closing: AbortSignal;
  /** Is told why a question was in vain that is not the last. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Takes `lock`, as patiently as redlock would.
 *
 * @throws what the last question was rejected with.
 */
export async function acquirePatiently(lock: RLock, patience: Patience): Promise<Hold> {
  const { duration, settings, clock, onFailure } = patience;
  const endsAt = clock.now() + waitWindowMs(settings);
  let waitMs = 0;
  for (;;) {
    try {
      return await inFull(await lock.acquire({ leaseMs: duration, waitMs }), duration);
    } catch (error) {
      const leftMs = endsAt - clock.now();
      if (!mayPass(error) || leftMs <= 0) throw error;
      onFailure(error);
      if (!(error instanceof LockTimeoutError)) await pause(patience, Math.min(leftMs, pauseMs(settings)));
    }
    const leftMs = Math.ceil(Math.max(0, endsAt - clock.now()));
    // Also one without end: of a wait without `waitMs` holdfast warns when this process has the lock itself, in words of an API that nobody here knows.
    waitMs = Math.min(leftMs, MAX_TIME_MS);
  }
}

/** What a lock that was handed over lasts at most until its first command: `claimLeaseMs` of holdfast. */
const CLAIM_MS = 3_000;
/** By so much the way to Redis may make a lease shorter that was asked for. */
const WAY_MS = 100;

/**
 * The hold with the lease that was asked for. A lock that was handed over has a short one until its first command, which tells by its signal when that was not
 * in time; code with the API of redlock has no signal, and relies on the time that it has asked for.
 */
async function inFull(hold: Hold, duration: number): Promise<Hold> {
  const leftMs = hold.remainingMs();
  if (leftMs > CLAIM_MS || duration - leftMs <= WAY_MS) return hold;
  try {
    await untilLost(hold, hold.extend(duration));
    hold.assertHeld();
    return hold;
  } catch (error) {
    void hold.release().catch(() => undefined);
    throw error;
  }
}

function pause({ clock, closing }: Patience, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clock.clearTimer(timer);
      closing.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimer(end, closing.aborted ? 0 : ms);
    closing.addEventListener('abort', end);
  });
}
