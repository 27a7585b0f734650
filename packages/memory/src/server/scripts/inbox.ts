import { attempt, type Commands } from '../commands.js';

/** inbox.lua: whether nobody listens to the inbox of a tenure, as far as the answer can be trusted. */
export function isGone(redis: Commands, id: string, trusted: boolean): boolean {
  if (!trusted) return false;
  const end = id.lastIndexOf(':');
  const start = id.lastIndexOf(':', end - 1) + 1;
  if (end <= start || end === id.length - 1) return true;
  return attempt(() => redis.numsub(`holdfast_inbox:${id.slice(start, end)}`)) === 0;
}
