import { attempt, type Commands } from '../commands.js';
import { type ErrorReply, refusalOf, type Reply } from '../reply.js';

/** How one run of a script makes a tenure the owner of its lock: where primitives with the same scripts differ. */
export interface Owning {
  /** What messages and replies say of the owner's token. */
  readonly token: string;
  /** Makes the tenure the owner of a lock, which must be absent. `lease` in milliseconds. Returns the refusal of a write, if there was one. */
  own(tenure: string, lease: number | string): ErrorReply | undefined;
  /** The reply to an ask for a lock that was free. */
  acquired(question: string): Reply;
  /** The reply to an owner that asks: what it is told, and then its token. */
  mine(fields: ReadonlyMap<string, string>, told: readonly Reply[], question: string): Reply;
}

/** Begins one run of a script. */
export type BeginOwning = (redis: Commands, keys: readonly string[], args: readonly string[]) => Owning;

/** A script that makes owners. */
export type OwningScript = (
  redis: Commands,
  keys: readonly string[],
  args: readonly string[],
  begin?: BeginOwning,
) => Reply;

/** own.lua, acquire.lua and mine.lua of the re-entrant lock. */
export const owning: BeginOwning = (redis, [lock = '']) => ({
  token: '-',
  own: (tenure, lease) => own(redis, lock, lease, [tenure, '1', 'seq', '1']),
  acquired: (question) => `acquired ${question}`,
  mine: (_fields, told, question) => [...told, '-', question],
});

/** Writes the fields of an owner, and its lease. */
export function own(
  redis: Commands,
  lock: string,
  lease: number | string,
  fields: readonly string[],
): ErrorReply | undefined {
  try {
    redis.hset(lock, ...fields);
  } catch (error) {
    return refusalOf(error);
  }
  try {
    redis.pexpire(lock, lease);
  } catch (error) {
    attempt(() => redis.hdel(lock, ...fields.filter((_, index) => index % 2 === 0)));
    attempt(() => redis.del(lock));
    return refusalOf(error);
  }
  return undefined;
}
