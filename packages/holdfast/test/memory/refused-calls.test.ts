/** A call whose time is over says what Redis has answered, and that there was no answer only where there was none. */
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { failureOf } from '../support/outcomes.js';
import { driven } from '../support/room.js';

const leaks = guardLeaks();

it.each(['READONLY', 'BUSY', 'LOADING', 'CLUSTERDOWN'] as const)('%s is an answer', async (code) => {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => 1_700_000_000_000 + clock.now() });
  const redis = memoryRedis({ network: direct(() => server), timers: clock }, { lazyConnect: true });
  const openRedis = () => ({ kind: 'node', redis, ownership: 'ours' }) as const;
  const client = createLockClientIn({ ...systemSurroundings(), clock, openRedis }, { redis: 'redis://memory' });
  client.on('error', () => undefined);
  leaks.cleanup(() => client.close());
  await driven(clock, client.connect({ timeoutMs: 5_000 }));
  const admit = server.refuse({ code });
  expect(await driven(clock, failureOf(client.getLock('it').tryLock()))).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringMatching(`^Redis has refused to answer for \\d+ ms about lock "it": .*${code}`),
  });
  admit();
});
