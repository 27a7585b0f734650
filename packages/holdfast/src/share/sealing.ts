/** How a value travels: one letter that says whether it is a value or a failure, and its text. */

import { checkAcquire } from '../acquire-options.js';
import { SharedFailureError } from '../errors.js';
import { checkCount, checkFunction, checkKeys, checkTime, checkWellFormed } from '../options.js';
import type { ShareCodec, ShareOptions } from '../primitives/share.js';
import { isThrown } from '../reports/thrown.js';

/** {@link ShareOptions} as they were when they were checked. */
export interface CheckedShare<T> {
  readonly ttlMs: number;
  readonly fn: ShareOptions<T>['fn'];
  readonly codec: ShareCodec<T>;
  readonly maxBytes: number;
  readonly errorTtlMs: number | undefined;
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

const known = ['ttlMs', 'fn', 'codec', 'maxBytes', 'errorTtlMs', 'waitMs', 'signal'];
const DEFAULT_MAX_BYTES = 2 ** 20;
/** A string of Redis holds no more. */
const MOST_BYTES = 512 * 2 ** 20 - 1;

/** What JSON says does not tell which share it is about. */
const jsonOf = (name: string): ShareCodec<unknown> => ({
  encode: (value) => named(TypeError, name, () => JSON.stringify(value)),
  decode: (text) => named(SyntaxError, name, () => JSON.parse(text) as unknown),
});

function named<T>(Failure: ErrorConstructor, name: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Failure(`share: the value of "${name}" is no JSON`, { cause });
  }
}

/** @throws TypeError or RangeError for options that cannot work. */
export function checkShare<T>(name: string, options: ShareOptions<T>): CheckedShare<T> {
  checkKeys('share', options, known);
  const {
    ttlMs,
    fn,
    codec = jsonOf(name) as ShareCodec<T>,
    maxBytes = DEFAULT_MAX_BYTES,
    errorTtlMs,
    waitMs,
    signal,
  } = options;
  checkTime('share: ttlMs', ttlMs, 1);
  checkFunction('share', fn);
  if (!isCodec(codec)) throw new TypeError('share: codec must have the functions encode and decode');
  checkCount('share: maxBytes', maxBytes, MOST_BYTES);
  if (errorTtlMs !== undefined) checkTime('share: errorTtlMs', errorTtlMs, 1);
  checkAcquire({ waitMs, signal }, 'share');
  return { ttlMs, fn, codec, maxBytes, errorTtlMs, waitMs, signal };
}

function isCodec(value: unknown): boolean {
  const { encode, decode } = Object(value) as Readonly<Record<keyof ShareCodec<unknown>, unknown>>;
  return typeof encode === 'function' && typeof decode === 'function';
}

/** @throws RangeError when it is too large, and what the codec throws. */
export function sealValue<T>(name: string, value: T, { codec, maxBytes }: CheckedShare<T>): string {
  const text: unknown = codec.encode(value);
  if (typeof text !== 'string')
    throw new TypeError(
      `share: the value of "${name}" became ${typeof text}: fn must return something, or codec.encode a string`,
    );
  checkWellFormed('share: the value', text);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes)
    throw new RangeError(`share: the value of "${name}" has ${bytes} bytes, and maxBytes is ${maxBytes}`);
  return `v${text}`;
}

/** Longest name, and longest message, of a failure that is shared: the rest is cut off. In characters. */
const MOST_OF_NAME = 100;
const MOST_OF_MESSAGE = 4_000;

/** Its name and message: stacks and causes stay where they are. Throws nothing, whatever has been thrown. */
export function sealFailure(error: unknown): string {
  const isError = isThrown(error, Error);
  const name = isError ? textOf(() => error.name) : 'Error';
  const message = textOf(() => (isError ? error.message : error));
  return `e${JSON.stringify([name.slice(0, MOST_OF_NAME), message.slice(0, MOST_OF_MESSAGE)])}`;
}

/** Code of users may have put anything there, or throw when it is read. */
function textOf(read: () => unknown): string {
  try {
    return String(read());
  } catch {
    return 'it has no text';
  }
}

/** @throws SharedFailureError when it is a failure, and what the codec throws. */
export function open<T>(name: string, text: string, codec: ShareCodec<T>): T {
  if (text.startsWith('v')) return codec.decode(text.slice(1));
  const [failed, message] = failureIn(text);
  throw new SharedFailureError(name, failed, message);
}

function failureIn(text: string): readonly [name: string, message: string] {
  try {
    const [name, message] = JSON.parse(text.slice(1)) as unknown[];
    return [String(name), String(message)];
  } catch {
    return ['Error', 'what is stored is no value of holdfast'];
  }
}
