import { checkCount, checkKeys, checkTime } from '../options.js';
import { constant, doubling, type Pauses } from '../tenure/spin-wakeup.js';

/** How long a spin lock pauses between two attempts. What is drawn lies between half of it and all of it, and never beyond the owner's lease. */
export type BackOff =
  | {
      /** Twice as long after each attempt. */
      kind: 'exponential';
      /** After the first attempt, in milliseconds. Default 1. */
      initialMs?: number | undefined;
      /** Longest, in milliseconds. Default 128. */
      maxMs?: number | undefined;
    }
  | {
      /** Always as long. */
      kind: 'constant';
      /** In milliseconds. Default 64. */
      delayMs?: number | undefined;
    };

/** Options of {@link LockClient.getSpinLock}, beside those of `getLock`. */
export interface SpinOptions {
  /** Pauses between attempts. Default `{ kind: 'exponential' }`: 1, 2, 4 … 128 ms. */
  backOff?: BackOff | undefined;
  /** A call gives up after so many attempts that found the lock busy: at least 1. Default: no limit. */
  maxAttempts?: number | undefined;
}

/** {@link SpinOptions} as they were when they were checked. */
export interface CheckedSpin {
  readonly backOff: () => Pauses;
  readonly maxAttempts: number | undefined;
}

const exponentialKeys = ['kind', 'initialMs', 'maxMs'];
const constantKeys = ['kind', 'delayMs'];
/** Of {@link SpinOptions}. */
export const spinKeys: readonly string[] = ['backOff', 'maxAttempts'];

/** @throws TypeError or RangeError for what is no back-off, and for attempts that are no count. */
export function checkSpin({ backOff, maxAttempts }: SpinOptions): CheckedSpin {
  return {
    backOff: checkBackOff(backOff),
    maxAttempts: maxAttempts === undefined ? undefined : checkCount('maxAttempts', maxAttempts),
  };
}

function checkBackOff(backOff: BackOff = { kind: 'exponential' }): () => Pauses {
  const kind: unknown = (backOff as { kind?: unknown } | null)?.kind;
  if (kind === 'exponential') {
    checkKeys('backOff', backOff, exponentialKeys);
    const { initialMs = 1, maxMs = 128 } = backOff as BackOff & { kind: 'exponential' };
    checkTime('backOff.initialMs', initialMs, 1);
    checkTime('backOff.maxMs', maxMs, 1);
    if (maxMs < initialMs) throw new RangeError(`backOff.maxMs (${maxMs}) must not be below initialMs (${initialMs})`);
    return () => doubling(initialMs, maxMs);
  }
  if (kind !== 'constant') throw new TypeError(`backOff must be { kind: 'exponential' } or { kind: 'constant' }`);
  checkKeys('backOff', backOff, constantKeys);
  const { delayMs = 64 } = backOff as BackOff & { kind: 'constant' };
  checkTime('backOff.delayMs', delayMs, 1);
  return () => constant(delayMs);
}
