/**
 * holdfast for NestJS.
 *
 * @packageDocumentation
 */
export { getLockClientToken, InjectLockClient } from './client-token.js';
export { currentHold } from './current-hold.js';
export { type LockHealth, LockHealthIndicator } from './health.js';
export { HoldfastModule, type HoldfastModuleOptions } from './holdfast-module.js';
export { type LockDecorator, type LockKey, WithLock, type WithLockOptions } from './with-lock.js';
