import { given, numberOf, questionOf, type ScriptBody } from './lua.js';
import { owner } from './owner.js';

/** peek.lua */
export const peek: ScriptBody = (redis, keys, args) => {
  const lock = given(keys, 0);
  const tenure = given(args, 0);
  const { fields } = owner(redis, lock, tenure);
  return [redis.pttl(lock), numberOf(fields.get(tenure)) ?? 0, questionOf(args)];
};
