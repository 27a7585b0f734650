import { attempt, type Commands } from '../commands.js';

/** announce.lua */
export function announce(redis: Commands, channel: string, trusted: boolean): void {
  attempt(() => redis.publish(channel, '0'));
  if (!trusted) attempt(() => redis.spublish(channel, '0'));
}
