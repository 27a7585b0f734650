import { waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { connect } from '../src/connection/connect.js';
import { turns } from './support/room.js';

/** Notes what is to be done later, in place of a timer. */
function setUp() {
  const later: (() => void)[] = [];
  const after = (_: number, action: () => void) => {
    later.push(action);
    return { cancel: () => undefined };
  };
  return { later, tools: { after } };
}

describe('a connection that is begun', () => {
  it.each([
    ['of a server', () => new Redis({ lazyConnect: true })],
    ['of a Cluster', () => new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true })],
  ])('and ended before it is made leaves no timer, %s', async (_, open) => {
    const { later, tools } = setUp();
    const redis = open();
    redis.on('error', () => undefined);
    const failures: unknown[] = [];
    const begin = redis.connect.bind(redis);
    redis.connect = () => {
      const connecting = begin();
      connecting.catch((error) => failures.push(error));
      return connecting;
    };
    connect(redis, tools);
    redis.disconnect();
    await waitUntil(() => failures.length === 1, { what: 'it to be told' });
    await turns(1);
    expect(later).toEqual([]);
  });

  it('by a wrapper that fails before anything is begun is begun again, once', async () => {
    const { later, tools } = setUp();
    const redis = { status: 'wait', connect: () => Promise.reject(new Error('a wrapper')) } as unknown as Redis;
    connect(redis, tools);
    await turns(1);
    expect(later).toHaveLength(1);
    later[0]?.();
    await turns(1);
    expect(later).toHaveLength(2);
  });
});
