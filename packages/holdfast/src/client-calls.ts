/** The options of `connect()`, `close()` and plain handles, which every kind of client has: their only reader, and it reads each once. */

import { checkSignal } from './acquire-options.js';
import type { ClientParts } from './client-parts.js';
import type { CloseOptions, ConnectOptions, LockHandleOptions } from './lock-client.js';
import { checkKeys, checkOwner, checkTime } from './options.js';

const connectKeys = ['timeoutMs', 'signal'];
const closeKeys = ['drainMs'];
const handleKeys = ['owner'];

/** {@link ConnectOptions} as they were when they were checked. */
interface ConnectCall {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** @throws TypeError or RangeError for options that cannot be used. */
export function checkConnect(options: ConnectOptions, { settings }: Pick<ClientParts, 'settings'>): ConnectCall {
  checkKeys('connect', options, connectKeys);
  const { timeoutMs = settings.responseTimeoutMs, signal } = options;
  checkSignal('connect', signal);
  return { timeoutMs: checkTime('connect: timeoutMs', timeoutMs, 1), signal };
}

/**
 * @returns how long to wait for holds that are in use, in milliseconds.
 * @throws TypeError or RangeError for options that cannot be used.
 */
export function checkClose(options: CloseOptions): number {
  checkKeys('close', options, closeKeys);
  const { drainMs = 0 } = options;
  return checkTime('close: drainMs', drainMs, 0);
}

/**
 * @returns the owner, if the handle has one.
 * @throws TypeError or RangeError for options that cannot be used.
 */
export function checkHandle(method: string, options: LockHandleOptions): string | undefined {
  checkKeys(method, options, handleKeys);
  return checkOwner(method, options.owner);
}
