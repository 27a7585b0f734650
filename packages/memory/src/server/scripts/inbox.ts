/** inbox.lua and gone.lua. */

import { attempt, type Commands } from '../commands.js';

/** The channel on which a tenure hears; undefined when that is no tenure of holdfast. */
function inboxOf(id: string): string | undefined {
  const end = id.lastIndexOf(':');
  const start = id.lastIndexOf(':', end - 1) + 1;
  return end <= start || end === id.length - 1 ? undefined : `holdfast_inbox:${id.slice(start, end)}`;
}

export function tell(redis: Commands, id: string, message: string): void {
  const inbox = inboxOf(id);
  if (inbox !== undefined) attempt(() => redis.publish(inbox, message));
}

/** Whether nobody listens to the inbox of a tenure, as far as the answer can be trusted. */
export function isGone(redis: Commands, id: string, trusted: boolean): boolean {
  if (!trusted) return false;
  const inbox = inboxOf(id);
  return inbox === undefined || attempt(() => redis.numsub(inbox)) === 0;
}
