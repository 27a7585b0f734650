import { attempt, type Commands } from '../../commands.js';

/** read-write/announce.lua */
export function announce(redis: Commands, channel: string, trusted: boolean): void {
  attempt(() => redis.publish(channel, '1'));
  if (!trusted) attempt(() => redis.spublish(channel, '1'));
}
