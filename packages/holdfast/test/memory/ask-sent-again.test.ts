/** An ask that is sent again after the grant: what its answer says of the lock that the client holds by then. */
import { direct, memoryRedis, MemoryServer, type Network } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { createLockClient } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { Breakable } from '../support/breakable.js';
import { failureOf } from '../support/outcomes.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;

it('a lock that was deleted, and is free when the ask arrives again, was lost: it is not taken afresh in silence', async () => {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const network = new Breakable(direct(() => server));
  const open = (through: Network) => memoryRedis({ network: through, timers: clock }, { lazyConnect: true });
  const inSilence = () =>
    memoryRedis({ network, timers: clock }, { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  const client = createLockClientIn(
    {
      ...systemSurroundings(),
      clock,
      openRedis: () => ({ kind: 'node', redis: inSilence(), ownership: 'ours' }),
    },
    { redis: 'redis://memory', reaskMs: 200, attemptTimeoutMs: 60_000 },
  );
  const others = open(direct(() => server));
  const stranger = createLockClient({ redis: others });
  leaks.cleanup(async () => {
    await Promise.all([client.close(), stranger.close()]);
    others.disconnect();
  });
  const first = await stranger.getLock('order').acquire();
  const waiting = client.getLock('order').acquire();
  await clock.advance(50);
  network.silent = true;
  await clock.advance(1_000); // it asks again, and nothing comes back
  await first.release();
  await clock.advance(1);
  const hold = await waiting;
  expect(hold.state).toBe('held');
  await others.del('order');
  network.silent = false;
  network.breakCommands();
  for (let i = 0; i < 200 && hold.state !== 'lost'; i++) {
    await clock.advance(10);
    await turns();
  }
  expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
  expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST' });
});
