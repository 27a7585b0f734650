/** Connections by themselves, on real servers. */

import { lockKeys, peek } from '@holdfast/core';
import { Inbox } from '@holdfast/notify';
import { faultProxy, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { Schedule, systemClock } from '@holdfast/watchdog';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import type { Topology } from '../src/connection/topology.js';
import type { ConnectionTools } from '../src/connection/connection-tools.js';
import { openTopology } from '../src/connection/open-topology.js';
import { openRedis } from '../src/connection/redis-input.js';
import { ServerCheck } from '../src/connection/server-check.js';
import { Subscriber } from '../src/connection/subscriber.js';
import { CommandSender } from '../src/connection/command-sender.js';

const kit = useRedis(startPrivateRedis);
const clock = systemClock();
const schedule = new Schedule(clock, 'background', () => undefined);
const tools: ConnectionTools = {
  at: (time, action) => schedule.at(time, action),
  after: (ms, action) => schedule.at(clock.now() + ms, action),
  now: () => clock.now(),
  random: Math.random,
  nextTurn: (run) => void setImmediate(run),
  silenceMs: 200,
  serverCheck: new ServerCheck('node', () => undefined),
  onError: () => undefined,
};
afterEach(() => schedule.clear());

function subscriberOf(options: RedisOptions): Subscriber {
  const source = {
    ended: false,
    trustsReceivers: true,
    openSubscriber: (listening: RedisOptions) => new Redis({ retryStrategy: () => 20, ...listening, ...options }),
  };
  const subscriber = new Subscriber(source, tools);
  kit.cleanup(() => subscriber.close());
  return subscriber;
}

describe('the connection that listens', () => {
  it('does not count as restored for a channel that it may not hear any more, until it hears it', async () => {
    const { host, port } = kit.server;
    await kit.admin.acl('SETUSER', 'ear', 'reset', 'on', '>ear', '&*', '+@all');
    const subscriber = subscriberOf({ host, port, username: 'ear', password: 'ear' });
    const inbox = new Inbox({ port: subscriber, channel: 'inbox', onError: () => undefined });
    let restored = 0;
    subscriber.listen(inbox.listener);
    subscriber.listen({ onMessage: () => undefined, onLost: () => undefined, onRestored: () => void restored++ });
    await inbox.open();
    await waitUntil(() => restored > 0, { what: 'the first connection is told of' });
    const before = restored;
    await kit.admin.acl('SETUSER', 'ear', 'resetchannels');
    await kit.admin.client('KILL', 'USER', 'ear').catch(() => undefined);
    await waitUntil(() => restored > before, { what: 'the connection is back' });
    expect(inbox.confirmed).toBe(false);
    await kit.admin.acl('SETUSER', 'ear', '&*');
    await waitUntil(() => inbox.confirmed, { what: 'the inbox is heard again' });
    expect(await kit.admin.publish('inbox', 'look')).toBe(1);
  });

  it.each(['subscribe', 'unsubscribe'] as const)('is replaced when it does not answer a %s', async (command) => {
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const subscriber = subscriberOf({ host: proxy.host, port: proxy.port });
    await subscriber.subscribe('first');
    proxy.hold('both');
    proxy.refuse();
    const settled = subscriber[command](command === 'subscribe' ? 'second' : 'first');
    await waitUntil(() => proxy.connections === 0, { what: 'the silent connection is given up' });
    await proxy.heal();
    await settled;
    const heard = command === 'subscribe' ? 2 : 0;
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS')).length === heard, { what: 'the channels' });
  });
});

describe('the round trip', () => {
  it('is measured for each server', async () => {
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    proxy.delay(30);
    const near = openTopology(openRedis({ host: kit.server.host, port: kit.server.port }), tools);
    const far = openTopology(openRedis({ host: proxy.host, port: proxy.port }), tools);
    kit.cleanup(() => Promise.all([near.close(), far.close()]));
    const linkTo = (lockKey: string) => (lockKey === 'far' ? far : near);
    const both: Pick<Topology, 'listen' | 'connectionTo' | 'ended' | 'troubleWith' | 'whenReady' | 'refused'> = {
      ended: false,
      listen: (listener) => [near, far].forEach((topology) => topology.listen(listener)),
      connectionTo: (lockKey) => linkTo(lockKey).connectionTo(lockKey),
      troubleWith: (lockKey) => linkTo(lockKey).troubleWith(lockKey),
      whenReady: (lockKey, resume) => linkTo(lockKey).whenReady(lockKey, resume),
      refused: () => undefined,
    };
    const sender = new CommandSender({ topology: both as Topology, clock, schedule, nextTurn: tools.nextTurn });
    for (const name of ['far', 'near', 'far', 'near', 'far', 'near']) {
      const answer = await sender.answer(name, () => peek(lockKeys(name), { tenure: 'nobody:1' }));
      expect(answer).toHaveProperty('reply');
    }
    expect(sender.roundTripMs('far')).toBeGreaterThan(15);
    expect(sender.roundTripMs('near')).toBeLessThan(sender.roundTripMs('far'));
  });
});

describe('a connection that is replaced because it is of no use', () => {
  it('takes no command before the next one is there: it would not be sent, and nobody could tell', async () => {
    const { host, port } = kit.server;
    const topology = openTopology(openRedis({ host, port }), tools);
    kit.cleanup(() => topology.close());
    topology.connect();
    await waitUntil(() => topology.connectionTo('order') !== undefined, { what: 'the first connection' });
    topology.connectionTo('order')?.outOfStep(new Error('an answer to another question'));
    expect(topology.connectionTo('order')).toBeUndefined();
    await waitUntil(() => topology.connectionTo('order') !== undefined, { what: 'the next connection' });
  });
});

it.each([Number.NaN, 0, -1, 70_000, 'abc', null])('the port %p is refused before anything is tried', (port) => {
  expect(() => openRedis({ host: 'localhost', port: port as never })).toThrow(
    'redis: the port must be a number from 1 to 65535',
  );
});

it.each([{ path: '/run/redis.sock' }, { sentinels: [{ host: 'localhost', port: 1 }], name: 'main' }])(
  'a port is not looked at beside %j: ioredis does not either',
  (place) => {
    for (const port of [0, Number.NaN]) expect(openRedis({ ...place, port }).kind).toBe('node');
  },
);

it('a port that is a text of digits, as in the environment, is one', () => {
  const opened = openRedis({ host: 'localhost', port: '6379' as never });
  if (opened.kind !== 'node') throw new Error('it is one server');
  kit.cleanup(() => opened.redis.disconnect());
});

describe('the query of a URL', () => {
  it('changes nothing that a connection of ours needs', () => {
    const opened = openRedis('redis://localhost:1/?maxRetriesPerRequest=5&enableOfflineQueue=true&keyPrefix=app:');
    if (opened.kind !== 'node') throw new Error('it is one server');
    kit.cleanup(() => opened.redis.disconnect());
    expect(opened.redis.options).toMatchObject({
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      keyPrefix: 'app:',
    });
  });

  it('is read as a number where ioredis keeps a text that a socket does not survive', () => {
    const opened = openRedis('redis://localhost:1/?connectTimeout=1000&commandTimeout=5');
    if (opened.kind !== 'node') throw new Error('it is one server');
    kit.cleanup(() => opened.redis.disconnect());
    expect(opened.redis.options.connectTimeout).toBe(1_000);
    for (const wrong of ['redis://localhost:1/?connectTimeout=soon', { port: 1, connectTimeout: '1000' as never }])
      expect(() => openRedis(wrong)).toThrow('redis: connectTimeout must be a number');
  });
});
