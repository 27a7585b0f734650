import { once } from 'node:events';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { NodeConnection } from '../src/connection/node-connection.js';
import { drivenTools } from './support/driven-tools.js';

const kit = useRedis();

it('a connection that is replaced is down from then on, and not since the one before it broke', async () => {
  const redis = new Redis({ port: kit.server.port, host: kit.server.host });
  await once(redis, 'ready');
  const { tools, stall } = drivenTools();
  const nobody = () => undefined;
  const listener = { onDown: nobody, onUp: nobody, onOther: nobody, onLooked: nobody, onLastingTrouble: nobody };
  const line = new NodeConnection('node', { redis, ownership: 'ours' }, listener, tools);
  kit.cleanup(() => line.close());
  for (let round = 0; round < 2; round++) {
    await waitUntil(() => line.ready, { what: 'a connection' });
    stall(60_000);
    const closed = once(redis, 'close');
    line.recycle();
    stall(250);
    expect(line.reach).toEqual({ state: 'down', silentMs: 250 });
    await closed;
    expect(line.reach).toEqual({ state: 'down', silentMs: 250 });
  }
});
