import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { askFenced, serve } from '../src/index.js';
import * as scripts from '../src/lock/scripts.gen.js';
import { CLAIM, type Lock, lockOn, TOMBSTONE } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const lock = lockOn(server);
const dirty = { tombstoneMs: TOMBSTONE };

const used = new Set(
  Object.values(scripts).flatMap(({ source }) =>
    [...source.matchAll(/(?:call|pcall)\('([A-Z]+)'|\{ ?'([A-Z]+)', ?KEYS/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    ),
  ),
);

async function without(command: string, work: (limited: Lock) => Promise<void>): Promise<void> {
  // What the server does not know, as Redis 6 SPUBLISH, no user may call anyway.
  const [known] = await server.redis.command('INFO', command);
  const denied = known === null ? [] : [`-${command.toLowerCase()}`];
  await server.redis.acl('SETUSER', 'limited', 'reset', 'on', '>x', '~*', '&*', '+@all', ...denied);
  const client: Redis = server.connect({ username: 'limited', password: 'x' });
  await work(lockOn(server, { client }));
  await server.redis.acl('DELUSER', 'limited');
}

const owned = () => lock.ask('a:1');
const awaited = async () => {
  await owned();
  await lock.ask('b:1');
  await lock.ask('c:1');
};

const abandoned = async () => {
  await awaited();
  await lock.vanish();
};

const operations: [title: string, before: () => Promise<unknown>, command: (lock: Lock) => Promise<unknown>][] = [
  ['ask for a free lock', async () => {}, (limited) => limited.ask('a:1')],
  ['ask that queues first', owned, (limited) => limited.ask('b:1')],
  ['ask that queues behind others', awaited, (limited) => limited.ask('d:1')],
  ['ask of the head of an abandoned lock', abandoned, (limited) => limited.ask('b:1')],
  ['ask of a newcomer to an abandoned lock', abandoned, (limited) => limited.ask('n:1')],
  ['again', owned, (limited) => limited.again('a:1', 2, 90_000)],
  ['handoff', owned, (limited) => limited.handoff('a:1', 2)],
  ['clean release', owned, (limited) => limited.release('a:1', 2)],
  ['dirty release that grants', awaited, (limited) => limited.release('a:1', 2, dirty)],
  ['cancel of a waiter', awaited, (limited) => limited.cancel('b:1')],
  ['cancel of the owner', awaited, (limited) => limited.cancel('a:1')],
  ['rest', awaited, (limited) => limited.rest('a:1', 2)],
  ['dirty rest', awaited, (limited) => limited.rest('a:1', 2, dirty)],
  ['force', awaited, (limited) => limited.force('x:1')],
];

describe.each([...used])('a user that may not call %s', (command) => {
  it.each(operations)(
    'finds %s done, or the lock untouched with an error; no key is left without TTL',
    async (_, before, run) => {
      await before();
      const untouched = await lock.state();
      await without(command, async (limited) => {
        const failed = await run(limited).then(
          () => false,
          () => true,
        );
        if (!failed) return;
        const { lock: owner, queue } = await lock.state();
        expect(owner).toEqual(untouched.lock);
        expect(queue.filter((tenure) => !untouched.queue.includes(tenure))).toEqual([]);
      });
    },
  );
});

it.each(['no other', 'del', 'hdel'])(
  'a user that may not call PEXPIRE leaves no lock behind, not even without %s',
  async (other) => {
    const denied = other === 'no other' ? [] : [`-${other}`];
    await server.redis.acl('SETUSER', 'poor', 'reset', 'on', '>x', '~*', '&*', '+@all', '-pexpire', ...denied);
    const poor = lockOn(server, { client: server.connect({ username: 'poor', password: 'x' }) });
    await expect(poor.ask('a:1')).rejects.toThrow(/permission|can't run/);
    await expect(
      poor.run(
        askFenced(poor.keys, {
          tenure: 'a:1',
          leaseMs: 60_000,
          freshMs: 20_000,
          ticket: 0,
          freshTtlMs: 30_000,
          claimMs: CLAIM,
          trust: false,
          tokens: 'time',
        }),
      ),
    ).rejects.toThrow(/permission|can't run/);
    expect(await server.redis.exists(lock.keys.lock)).toBe(0);
    await server.redis.acl('DELUSER', 'poor');
  },
);

it('a user that may not serve the queue is told so: it would ask for a free lock for ever', async () => {
  await abandoned();
  await without('zpopmin', async (limited) => {
    await expect(limited.ask('b:1')).rejects.toThrow(/permission|can't run/);
    await expect(limited.ask('n:1')).rejects.toThrow(/permission|can't run/);
  });
  expect((await lock.state()).queue).toEqual(['c:1']);
});

it('a user that may not publish releases all the same, and the next owner is written', async () => {
  await awaited();
  await without('publish', async (limited) => {
    expect(await limited.release('a:1', 2)).toEqual({ kind: 'granted', to: 'b:1' });
    expect(await limited.release('b:1', 2)).toEqual({ kind: 'granted', to: 'c:1' });
    expect(await limited.release('c:1', 2)).toEqual({ kind: 'released', left: 0 });
  });
});

it('a user that may not ask who listens passes the lock to whoever is fresh, heard or not', async () => {
  await awaited();
  await without('pubsub', async (limited) => {
    expect(await limited.release('a:1', 2, { trust: true })).toEqual({ kind: 'granted', to: 'b:1' });
    expect(await limited.release('b:1', 2, { trust: true })).toEqual({ kind: 'granted', to: 'c:1' });
    expect(await limited.release('c:1', 2, { trust: true })).toEqual({ kind: 'released', left: 0 });
  });
});

it('a user without the channels releases all the same', async () => {
  await awaited();
  await server.redis.acl('SETUSER', 'mute', 'on', '>x', '~*', 'resetchannels', '+@all');
  const mute = lockOn(server, { client: server.connect({ username: 'mute', password: 'x' }) });
  expect(await mute.release('a:1', 2)).toEqual({ kind: 'granted', to: 'b:1' });
  expect(await mute.cancel('b:1')).toEqual({ kind: 'cancelled', wasGranted: true, left: 0 });
  expect(await mute.release('c:1', 2)).toEqual({ kind: 'released', left: 0 });
  await server.redis.acl('DELUSER', 'mute');
});

describe('a grant that is refused', () => {
  const places = async () => ({
    queue: await server.redis.zrange(lock.keys.queue, '0', '-1', 'WITHSCORES'),
    fresh: await server.redis.hgetall(lock.keys.fresh),
  });

  it.each<[string, waiters: string[], run: (lock: Lock) => Promise<unknown>, reply: object]>([
    ['release', ['b:1', 'c:1'], (limited) => limited.release('a:1', 2), { kind: 'released' }],
    ['release before a single waiter', ['b:1'], (limited) => limited.release('a:1', 2), { kind: 'released' }],
    ['cancel', ['b:1', 'c:1'], (limited) => limited.cancel('a:1'), { left: 0 }],
    ['force', ['b:1', 'c:1'], (limited) => limited.force('x:1'), { left: 0 }],
    [
      'serve',
      ['b:1', 'c:1'],
      async (limited) => {
        await lock.vanish();
        return limited.run(serve(lock.keys, { claimMs: CLAIM, trust: false }));
      },
      { left: 0 },
    ],
  ])('leaves all waiters queued, and says that there is nothing to go on with: %s', async (_, waiters, run, reply) => {
    await lock.ask('a:1');
    for (const waiter of waiters) await lock.ask(waiter);
    const before = await places();
    await without('hset', async (limited) => expect(await run(limited)).toMatchObject(reply));
    expect(await places()).toEqual(before);
    expect(await server.redis.pttl(lock.keys.queue)).toBeGreaterThan(0);
  });
});
