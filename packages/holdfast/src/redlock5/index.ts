/**
 * The API of redlock 5 over locks of holdfast: change the import, and what was written goes on. What differs, and why, is in
 * `docs/moving/from-redlock.md`.
 *
 * @module holdfast/redlock
 */
export { ExecutionError, ResourceLockedError } from './errors.js';
export { Lock, Redlock as default, type Routine } from './redlock.js';
export type { RedlockAbortSignal } from './routine-signal.js';
export type { Settings } from './settings.js';
export type { Attempts, Client, ClientExecutionResult, ExecutionResult, ExecutionStats } from './votes.js';
