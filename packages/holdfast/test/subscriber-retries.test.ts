import { once } from 'node:events';
import { useRedis } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Subscriber } from '../src/connection/subscriber.js';
import { plain } from '../src/connection/pub-sub-commands.js';
import { drivenTools } from './support/driven-tools.js';

const kit = useRedis();

/** Where connections come from, and those that did. */
function sourceOf(retryStrategy: (() => number) | null) {
  const opened: Redis[] = [];
  const openSubscriber = (options: object) => {
    const { host, port } = kit.server;
    const redis = new Redis({ ...options, host, port, retryStrategy });
    opened.push(redis);
    return redis;
  };
  return { opened, source: { ended: false, trustsReceivers: true, openSubscriber } };
}

/** A connection that listens, to a server that cannot do it now. */
function setUp() {
  const { tools, due } = drivenTools();
  const { opened, source } = sourceOf(() => 1);
  const refused = () => Promise.reject(Object.assign(new Error('LOADING Redis is loading'), { name: 'ReplyError' }));
  const subscriber = new Subscriber(source, tools, { ...plain, subscribe: refused });
  kit.cleanup(() => subscriber.close());
  const [first, second] = [subscriber.subscribe('one'), subscriber.subscribe('two')];
  for (const promise of [first, second]) promise.catch(() => undefined);
  const [redis] = opened as [Redis];
  return { subscriber, due, redis };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('a refused subscription is tried again by one appointment for each channel, however often the connection comes back', async () => {
  const { due, redis } = setUp();
  await once(redis, 'ready');
  for (let times = 0; times < 5; times++) {
    redis.disconnect(true);
    await once(redis, 'ready');
    await settled();
  }
  expect(due()).toHaveLength(2);
});

it('a refused subscription that nobody wants any more is not tried again', async () => {
  const { subscriber, due, redis } = setUp();
  await once(redis, 'ready');
  await settled();
  await subscriber.unsubscribe('one');
  expect(due()).toHaveLength(1);
  await subscriber.close();
  expect(due()).toEqual([]);
});

it('an unsubscribe is done when its connection ends before it is answered', async () => {
  // As in a Cluster, where another connection takes its place.
  const { opened, source } = sourceOf(null);
  const subscriber = new Subscriber(source, drivenTools().tools);
  kit.cleanup(() => subscriber.close());
  await subscriber.subscribe('one');
  const left = subscriber.unsubscribe('one');
  opened[0]?.stream.destroy();
  await left;
});
