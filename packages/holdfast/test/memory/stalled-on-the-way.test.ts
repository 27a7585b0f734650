/** A process stands still while a lock is on its way from one call to the next: after that timers come before the next turn of the event loop. */
import { direct, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { Breakable } from '../support/breakable.js';
import { memoryClients } from '../support/memory-clients.js';
import { driven, turns } from '../support/room.js';

const leaks = guardLeaks();

it.each([
  ['waits no longer when its time is over', 300, null],
  ['waits on while it has time left', 60_000, 'waits'],
])('a call whose hold is lost on the way to it %s', async (_, waitMs, expected) => {
  const clock = new ManualClock(0, () => Promise.resolve());
  const server = new MemoryServer({ now: () => clock.now() });
  const network = new Breakable(direct(() => server));
  const client = memoryClients(clock, leaks)(network, { watchdogTimeoutMs: 1_000 });
  const lock = client.getLock('order');
  const hold = await lock.acquire();
  const call = lock.tryAcquire({ waitMs });
  await turns();
  void hold.release();
  network.silent = true;
  clock.jump(2_000);
  for (let passed = 0; passed < 2; passed++) {
    await clock.advance(50);
    await turns(5);
  }
  expect(await Promise.race([call, Promise.resolve('waits')])).toBe(expected);
  network.silent = false;
  network.breakCommands();
  expect((await driven(clock, call))?.state).toBe(expected === null ? undefined : 'held');
  await driven(clock, client.close());
});
