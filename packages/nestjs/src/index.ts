/**
 * holdfast for NestJS.
 *
 * @packageDocumentation
 */
export { currentHold } from './current-hold.js';
export { type LockHealth, LockHealthIndicator } from './health.js';
export { HoldfastModule, type HoldfastModuleOptions } from './holdfast-module.js';
export { type LockKey, WithLock } from './with-lock.js';
