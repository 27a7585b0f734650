import type { Commands } from '../commands.js';
import { refusalOf } from '../reply.js';
import { numberOf } from './lua.js';

/** The hold count of a tenure and its last step; the count is undefined when it does not own the lock. */
export interface Standing {
  readonly count: number | undefined;
  readonly last: number;
}

const absent: Standing = { count: undefined, last: 0 };

/** standing.lua */
export function standing(redis: Commands, lock: string, tenure: string): Standing {
  const fields = fieldsOf(redis, lock);
  if (fields === undefined) return absent;
  return { count: numberOf(fields.get(tenure)), last: numberOf(fields.get('seq')) ?? 0 };
}

/** Undefined also where a key of another type is: it does not concern a holder. */
export function fieldsOf(redis: Commands, lock: string): ReadonlyMap<string, string> | undefined {
  try {
    return redis.hmget(lock);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.message.includes('WRONGTYPE')) return undefined;
    throw refusal;
  }
}
