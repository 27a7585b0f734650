export { ManualClock, ManualTimer } from './manual-clock.js';
export { RedisServer, startPrivateRedis, startRedis } from './redis/server.js';
export type { StartRedisOptions } from './redis/server.js';
export { waitUntil, WaitUntilTimeoutError } from './wait-until.js';
export type { Truthy, WaitUntilOptions } from './wait-until.js';
