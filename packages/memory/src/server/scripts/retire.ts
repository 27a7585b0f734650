import type { Commands } from '../commands.js';

/** retire.lua */
export function retire(redis: Commands, keys: readonly string[], tenure: string, barMs: number): void {
  const [, queue = '', fresh = '', dead = ''] = keys;
  redis.zrem(queue, tenure);
  redis.hdel(fresh, tenure, redis.exists(queue) ? '' : 'returned');
  if (barMs > 0) redis.set(dead, '1', barMs);
}
