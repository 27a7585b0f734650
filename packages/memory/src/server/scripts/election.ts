import { announce } from './announce.js';
import { given, questionOf, type ScriptBody } from './lua.js';
import { owner } from './owner.js';

/** leader.lua */
const leader: ScriptBody = (redis, keys, args) => {
  const { holder, fields } = owner(redis, given(keys, 0), '');
  if (args[0] === '1') announce(redis, given(args, 1), args[2] === '1');
  const leads = holder !== undefined && fields.has('seq') && fields.has('token') && !fields.has('rest');
  return [leads ? holder : '', leads ? (fields.get('token') ?? '') : '', questionOf(args)];
};

export const elections: Readonly<Record<string, ScriptBody>> = { 'election/leader': leader };
