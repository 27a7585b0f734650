import type { Reply } from '../reply.js';
import { given, integer, questionOf, type ScriptBody } from './lua.js';
import { owner } from './owner.js';

/** look.lua */
const look: ScriptBody = (redis, [value = ''], args): Reply => {
  const nowMs = redis.timeMs();
  const text = redis.get(value) ?? '';
  return [text, nowMs, questionOf(args)];
};

/** put.lua */
const put: ScriptBody = (redis, [lock = '', value = ''], args): Reply => {
  const question = questionOf(args);
  const tenure = given(args, 0);
  const untilMs = integer(args, 2, 1, Number.MAX_SAFE_INTEGER);
  if (owner(redis, lock, tenure).holder !== tenure) return ['lost', question];
  const ttlMs = untilMs - redis.timeMs();
  if (ttlMs <= 0) return ['over', question];
  redis.set(value, given(args, 2), ttlMs);
  return ['put', question];
};

export const shares: Readonly<Record<string, ScriptBody>> = { 'share/look': look, 'share/put': put };
