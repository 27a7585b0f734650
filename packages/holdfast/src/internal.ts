/**
 * For the other packages of this repository: what a client is made with when it is to live elsewhere than in this process. Not published; its
 * entry point exists in the sources only.
 */
export { createLockClientIn } from './client.js';
export type { OpenedRedis } from './connection/redis-input.js';
export { ours, retryStrategy } from './connection/connection-options.js';
export { type Surroundings, systemSurroundings } from './surroundings.js';
export { createRedLockClientIn } from './redlock/redlock-client.js';
