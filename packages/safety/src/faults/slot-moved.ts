import type { Nemesis } from './nemesis.js';

/** A lock's slot moves to another master, key by key, while it is in use. */
export const slotMoved: Nemesis = {
  name: 'slot-move',
  rest: [300, 1_500],
  async strike({ site, random, locks, note }) {
    const lock = random.pick(locks);
    note({ code: 'slot-move', state: 'on', lock });
    await site.moveSlot?.(lock);
    note({ code: 'slot-move', state: 'off', lock });
  },
};
