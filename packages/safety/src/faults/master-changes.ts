import type { Nemesis } from './nemesis.js';

/** An orderly failover, at the wish of an operator. */
export const orderlyFailover: Nemesis = {
  name: 'failover',
  rest: [1_000, 5_000],
  async strike({ site, random, locks, note }) {
    note({ code: 'failover', state: 'on' });
    await site.failover?.(random.pick(locks));
    note({ code: 'failover', state: 'off' });
  },
};

/**
 * Another master in every way: an orderly failover, or SIGKILL of the master, after which a replica takes over that may not know the
 * newest writes. One at a time: two at once can leave nobody who could take over.
 */
export const masterChanges: Nemesis = {
  name: 'master-change',
  rest: [1_000, 5_000],
  async strike(arena) {
    if (arena.random.next() < 0.4) {
      await orderlyFailover.strike(arena);
      return;
    }
    const { site, random, locks, note } = arena;
    note({ code: 'master-kill', state: 'on' });
    await site.killMaster?.(random.pick(locks));
    note({ code: 'master-kill', state: 'off' });
  },
};
