import { given, questionOf, type ScriptBody } from './lua.js';
import { owner } from './owner.js';
import type { Reply } from '../reply.js';

/** Fields of a read-write lock beside those who hold it. */
const BOOKKEEPING = 3;

/** glance.lua */
export const glance: ScriptBody = (redis, keys, args) => {
  const lock = given(keys, 0);
  const { holder, fields } = owner(redis, lock, '');
  const side = fields.get('side');
  let holders = holder === undefined ? 0 : 1;
  if (holder !== undefined && side !== undefined) holders = Math.max(1, redis.hlen(lock) - BOOKKEEPING);
  const nowMs = redis.timeMs();
  const ttl = redis.pttl(lock);
  const waiting = redis.zcard(given(keys, 1)) + redis.zcard(given(keys, 2)) + redis.zcard(given(keys, 3));
  return [nowMs, ttl, held(holder, fields), side ?? '', holders, waiting, questionOf(args)];
};

/** Of an owner, what ends at the first field that is not there, as a table of Lua does. */
export function held(holder: string | undefined, fields: ReadonlyMap<string, string>): Reply[] {
  if (holder === undefined) return [];
  const found: Reply[] = [holder, fields.has('side') ? '1' : (fields.get(holder) ?? '')];
  const seq = fields.get('seq');
  const rest = fields.get('rest');
  if (seq !== undefined) found.push(seq);
  if (seq !== undefined && rest !== undefined) found.push(rest);
  return found;
}
