import { attempt, type Commands } from '../commands.js';
import { type ErrorReply, refusalOf } from '../reply.js';

/** own.lua. `lease` in milliseconds. Returns the refusal of a write, if there was one. */
export function own(redis: Commands, lock: string, tenure: string, lease: number | string): ErrorReply | undefined {
  try {
    redis.hset(lock, tenure, '1', 'seq', '1');
  } catch (error) {
    return refusalOf(error);
  }
  try {
    redis.pexpire(lock, lease);
  } catch (error) {
    attempt(() => redis.hdel(lock, tenure, 'seq'));
    return refusalOf(error);
  }
  return undefined;
}
