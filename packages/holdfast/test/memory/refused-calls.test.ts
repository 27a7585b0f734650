/** A call whose time is over says what Redis has answered, and that there was no answer only where there was none. */
import { direct, memoryRedis, MemoryServer, type Network } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { failureOf } from '../support/outcomes.js';
import { driven } from '../support/room.js';

const leaks = guardLeaks();

async function setUp() {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => 1_700_000_000_000 + clock.now() });
  const inner = direct(() => server);
  let hears = true;
  const sockets: { end(): void }[] = [];
  const network: Network = {
    dial: (address, listener) => {
      const onFrame = (frame: Parameters<typeof listener.onFrame>[0]) => void (hears && listener.onFrame(frame));
      const socket = inner.dial(address, { ...listener, onFrame });
      sockets.push(socket);
      return socket;
    },
  };
  const redis = memoryRedis({ network, timers: clock }, { lazyConnect: true });
  const openRedis = () => ({ kind: 'node', redis, ownership: 'ours' }) as const;
  const client = createLockClientIn({ ...systemSurroundings(), clock, openRedis }, { redis: 'redis://memory' });
  client.on('error', () => undefined);
  leaks.cleanup(() => client.close());
  await driven(clock, client.connect({ timeoutMs: 5_000 }));
  const fallSilent = () => {
    hears = false;
  };
  const hangUp = () => {
    for (const socket of sockets) socket.end();
  };
  return { clock, server, client, fallSilent, hangUp };
}

it.each(['READONLY', 'BUSY', 'LOADING', 'CLUSTERDOWN'] as const)('%s is an answer', async (code) => {
  const { clock, server, client } = await setUp();
  const admit = server.refuse({ code });
  expect(await driven(clock, failureOf(client.getLock('it').tryLock()))).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringMatching(`^Redis has refused to answer for \\d+ ms about lock "it": .*${code}`),
  });
  admit();
});

it.each([
  ['it fell silent', false],
  ['it hung up, and is connected to again', true],
])('what Redis answered before %s is not what it has said ever since', async (_, hangsUp) => {
  const { clock, server, client, fallSilent, hangUp } = await setUp();
  const admit = server.refuse({ code: 'BUSY' });
  const failure = failureOf(client.getLock('it').tryLock());
  await clock.advance(50);
  fallSilent();
  if (hangsUp) hangUp();
  expect(await driven(clock, failure)).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringMatching(/^Redis has not answered for \d+ ms about lock "it": .*BUSY/),
  });
  admit();
  await driven(clock, client.close());
});
