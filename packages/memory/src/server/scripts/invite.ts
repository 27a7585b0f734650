import { questionOf, type ScriptBody } from './lua.js';

/** invite.lua, where Redisson is not: this server has no lists. */
export const invite: ScriptBody = (_redis, _keys, args) => ['served', 0, questionOf(args)];
