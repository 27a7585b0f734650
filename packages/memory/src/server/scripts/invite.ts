import { given, questionOf, type ScriptBody } from './lua.js';

/** invite.lua, where Redisson is not: this server has no lists, so there is no first. */
export const invite: ScriptBody = (redis, keys, args) => {
  redis.lindex(given(keys, 0));
  return ['served', 0, questionOf(args)];
};
