/** queue/stale.lua, which says why */

import { attempt, type Commands } from '../commands.js';
import { ErrorReply } from '../reply.js';
import { freshnessOf } from './grant.js';

/** Of a longer queue than this, the first so many are looked at by an ask. */
const LOOKED_AT = 16;

/** What becomes of `position` in a queue when those of the first that have died are gone. */
export function amongFresh(
  redis: Commands,
  { queue, fresh }: { readonly queue: string; readonly fresh: string },
  position: number,
  nowMs: number,
): number {
  if (position < LOOKED_AT) return position;
  const first = attempt(() => redis.zrange(queue, 0, LOOKED_AT - 1));
  if (first instanceof ErrorReply) return position;
  const entries = attempt(() => redis.hmget(fresh));
  if (entries instanceof ErrorReply) return position;
  const stale = first.filter((waiter) => (freshnessOf(entries?.get(waiter))?.untilMs ?? 0) < nowMs);
  if (stale.length === 0) return position;
  attempt(() => redis.zrem(queue, ...stale));
  attempt(() => redis.hdel(fresh, ...stale));
  return position - stale.length;
}
