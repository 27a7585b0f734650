import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { memoryRedis, type Network } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { createLockClient } from 'holdfast';
import { failureOf } from '../support/outcomes.js';

const leaks = guardLeaks();

/** Every connection opens, and breaks before anything is answered: as where one side speaks TLS and the other does not. */
const hangsUp: Network = {
  dial: (_address, listener) => {
    queueMicrotask(() => {
      listener.onOpen();
      queueMicrotask(() => listener.onClose());
    });
    return { send: () => undefined, end: () => undefined, destroy: () => undefined };
  },
};

it('a client whose Redis is in memory opens no socket, whatever becomes of its connection', async () => {
  let callers = 0;
  const bystander = createServer((socket) => {
    callers++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  leaks.cleanup(() => bystander.close());
  await once(bystander, 'listening');
  const { port } = bystander.address() as AddressInfo;
  const clock = new ManualClock();
  const redis = memoryRedis({ network: hangsUp, timers: clock }, { host: '127.0.0.1', port, lazyConnect: true });
  const client = createLockClient({ redis });
  leaks.cleanup(async () => {
    await client.close();
    redis.disconnect();
  });
  const call = failureOf(client.getLock('order').tryLock(50));
  await clock.advance(1_000);
  await call;
  // It is answered behind whatever was sent before.
  await once(connect(port, '127.0.0.1'), 'close');
  expect(callers).toBe(1);
});
