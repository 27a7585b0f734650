import { useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { freshName, holdsInRedis, openClient } from './support/clients.js';

const kit = useRedis();
/** Starved, nothing else would ever run: the storm ends by itself then. */
const MOST_HANDOFFS = 3_000_000;
/** A turn of the event loop is over after a millisecond of handoffs, which are some hundreds. A lease of seconds ends it too. */
const MOST_IN_A_TURN = 5_000;

it('handoffs in memory, hundreds of thousands in a row, starve neither timers, nor renewals, nor another client', async () => {
  const client = openClient(kit, { watchdogTimeoutMs: 3_000 });
  const name = freshName();
  const lock = client.getLock(name);
  const stranger = openClient(kit).getLock(name);
  let fired = 0;
  const timer = setInterval(() => fired++, 10);
  kit.cleanup(() => clearInterval(timer));
  let sections = 0;
  let going = true;
  let most = 0;
  const watch = (before: number) => {
    most = Math.max(most, sections - before);
    if (going) setImmediate(watch, sections);
  };
  setImmediate(watch, sections);
  const task = async () => {
    while (going && sections < MOST_HANDOFFS) {
      await lock.withLock(() => {
        sections++;
      });
    }
  };
  const tasks = Promise.all([task(), task(), task(), task()]);
  await waitUntil(() => client.stats().renewals.renewed > 0, { what: 'a renewal' });
  await stranger.withLock(() => undefined);
  await waitUntil(() => fired >= 20, { what: 'twenty timers' });
  going = false;
  await tasks;
  expect(sections).toBeLessThan(MOST_HANDOFFS);
  expect(most).toBeLessThan(MOST_IN_A_TURN);
  expect(client.stats().handoffs.local).toBeGreaterThan(sections * 0.9);
  expect(client.stats().losses).toEqual({});
  expect(await holdsInRedis(kit, name)).toBe(0);
}, 60_000);
