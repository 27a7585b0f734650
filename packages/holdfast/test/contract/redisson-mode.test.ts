import { countCommands, driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';
import { turns } from '../support/room.js';
import { loadScripts } from '../support/scripts.js';

const kit = useRedis();

/** Re-asks far away, so that only messages can be quick. */
const redisson: Partial<LockClientOptions> = { reaskMs: 20_000, claimLeaseMs: 30_000, wakeup: 'redisson' };

const setUp = () => {
  const name = freshName();
  return {
    name,
    lock: openClient(kit, redisson).getLock(name),
    stranger: openClient(kit, redisson).getLock(name),
  };
};

const foreigner = 'c0ffee00-0000-4000-8000-000000000000:42';
const channelOf = (name: string) => `redisson_lock__channel:{${name}}`;
const foreignLock = (name: string) => kit.admin.multi().hincrby(name, foreigner, 1).pexpire(name, 30_000).exec();
const foreignUnlock = (name: string) => kit.admin.multi().del(name).publish(channelOf(name), '0').exec();
const ours = 'another-client:1';
const ourLock = (name: string) => kit.admin.multi().hset(name, ours, 1, 'seq', 1).pexpire(name, 30_000).exec();
const ourUnlock = foreignUnlock;
const subscribers = async (name: string) => Number((await kit.admin.pubsub('NUMSUB', channelOf(name)))[1]);

it('a waiter is woken by the release of a foreign holder', async () => {
  const { lock, name } = setUp();
  await foreignLock(name);
  const call = lock.tryLock(10_000);
  await waitUntil(async () => (await subscribers(name)) === 1, { what: 'the waiter listens' });
  await foreignUnlock(name);
  // By itself it would have asked again long after its time is over.
  expect(await call).toBe(true);
  await lock.unlock();
  await waitUntil(async () => (await subscribers(name)) === 0, { what: 'the waiter has left the channel' });
});

it('a release between the first attempt and the confirmed subscription is not missed', async () => {
  const { lock, name } = setUp();
  for (let round = 0; round < 20; round++) {
    await foreignLock(name);
    const call = lock.tryLock(10_000);
    await turns(round);
    await foreignUnlock(name);
    expect(await call).toBe(true);
    await lock.unlock();
  }
});

it('a waiter looks again once its subscription is confirmed: the release before that told nobody', async () => {
  const proxy = await openProxy(kit);
  const client = openClient(kit, { ...redisson, redis: proxy.url });
  const inbox = `holdfast_inbox:${client.clientId}`;
  const name = freshName();
  const lock = client.getLock(name);
  await lock.withLock(() => undefined);
  await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', inbox))[1]) === 1, { what: 'the inbox' });
  await foreignLock(name);
  // Redis has said "busy" when the lock is released, and only then the waiter hears it and subscribes.
  proxy.hold('down');
  const call = lock.tryLock(4_000);
  await waitUntil(() => proxy.heldBytes > 0, { what: 'the answer to the first attempt' });
  await foreignUnlock(name);
  await proxy.heal();
  expect(await call).toBe(true);
  await lock.unlock();
});

it('a release tells foreign waiters, on their channel, with 0', async () => {
  const { lock, name } = setUp();
  const ear = kit.admin.duplicate();
  kit.cleanup(() => ear.disconnect());
  const messages: string[][] = [];
  ear.on('message', (...message: string[]) => messages.push(message));
  await ear.subscribe(channelOf(name));
  await lock.lock();
  await lock.unlock();
  await waitUntil(() => messages.length > 0, { what: 'the message' });
  expect(messages).toEqual([[channelOf(name), '0']]);
});

it('two clients exclude each other and both get on, without a queue', async () => {
  const { lock, stranger, name } = setUp();
  let inside = 0;
  let most = 0;
  let sections = 0;
  const loop = async (handle: typeof lock) => {
    for (let i = 0; i < 30; i++) {
      await handle.withLock(async () => {
        most = Math.max(most, ++inside);
        sections++;
        await turns(1);
        inside--;
      });
    }
  };
  await Promise.all([loop(lock), loop(stranger), loop(lock)]);
  expect({ most, sections }).toEqual({ most: 1, sections: 90 });
  expect(await kit.admin.keys(`*${name}*`)).toEqual([]);
});

it('a process whose own tasks always want the lock lets others in, and gets it again itself', async () => {
  const busy = openClient(kit, redisson);
  const { lock, name } = setUp();
  let working = true;
  let sections = 0;
  const task = async () => {
    while (working) {
      await busy.getLock(name).withLock(async () => {
        sections++;
        // Longer than the process may keep the lock while others wait.
        for (let i = 0; i < 40; i++) await kit.admin.ping();
      });
    }
  };
  const tasks = Promise.all([task(), task(), task(), task()]);
  await waitUntil(() => sections > 0, { what: 'the tasks are at work' });
  // How long a turn of theirs takes is up to the machine. Who lets nobody in keeps the lock for ever.
  for (let turn = 1; turn <= 10; turn++) {
    await lock.withLock(() => undefined);
    const before = sections;
    await waitUntil(() => sections > before, { what: 'the tasks are at work again' });
  }
  working = false;
  await tasks;
}, 60_000);

it.each<[string, (name: string) => Promise<unknown>, (name: string) => Promise<unknown>, boolean]>([
  ['passes among the tasks of a process where none of another language has had it', ourLock, ourUnlock, true],
  [
    'is given back after each section where one of another language has had it lately',
    foreignLock,
    foreignUnlock,
    false,
  ],
])('a lock %s', async (_, take, giveBack, passed) => {
  const { name } = setUp();
  const client = openClient(kit, redisson);
  await take(name);
  const tasks = Array.from({ length: 20 }, () => client.getLock(name).withLock(() => undefined));
  await waitUntil(async () => (await subscribers(name)) === 1, { what: 'the tasks wait' });
  await giveBack(name);
  await Promise.all(tasks);
  expect(client.stats().handoffs.local > 0).toBe(passed);
});

it('a waiter that hears of a release lets others in first where one of another language has had the lock', async () => {
  await loadScripts(kit);
  const time = driveTime(kit);
  const client = openClient(kit, redisson);
  await client.connect();
  const [shared, alone] = [freshName(), freshName()];
  await foreignLock(shared);
  await ourLock(alone);
  const counter = await countCommands(kit.admin);
  const commands = async () => (await counter.delta())['evalsha'] ?? 0;
  let had = false;
  const call = client.getLock(shared).acquire();
  const asked = call.then(() => (had = true));
  const other = client.getLock(alone).acquire();
  await waitUntil(async () => (await commands()) === 4, {
    what: 'both have asked, and once more when they could hear',
  });
  await foreignUnlock(shared);
  // The same connection hears of it later, and its lock is had at once.
  await ourUnlock(alone);
  await (await other).release();
  expect(had).toBe(false);
  await time.advance(100);
  await asked;
  await (await call).release();
  // And an ask and a release of each lock.
  expect(await commands()).toBe(8);
});

/** Somebody waits in Redisson's fair lock of that name. Resolves when it has heard `what` so often, on a channel of its own. */
const inRedissonsLine = async (name: string) => {
  const line = `redisson_lock_queue:{${name}}`;
  kit.cleanup(async () => void (await kit.admin.del(line)));
  await kit.admin.rpush(line, foreigner, 'another');
  const listener = kit.admin.duplicate();
  kit.cleanup(() => listener.disconnect());
  const heard: string[] = [];
  listener.on('pmessage', (_: string, channel: string, message: string) => heard.push(`${channel} ${message}`));
  await listener.psubscribe(`${channelOf(name)}:*`);
  const isTold = (what: string, times: number) =>
    waitUntil(() => heard.filter((told) => told === `${channelOf(name)}:${what}`).length >= times, {
      what: `${what} is told ${times} times`,
    });
  return { heard, isTold };
};

it('the first in the line of a fair lock of Redisson hears on a channel of its own when one of ours is free or forced', async () => {
  const name = freshName();
  const { heard, isTold } = await inRedissonsLine(name);
  const client = openClient(kit, redisson);
  const fair = client.getFairLock(name);
  await (await client.getLock(name).acquire()).release();
  await (await openClient(kit, { wakeup: 'queue' }).getFairLock(name).acquire()).release();
  await kit.admin.publish(`${channelOf(name)}:nobody`, '-');
  await isTold('nobody -', 1);
  expect(heard).toHaveLength(1);
  await (await fair.acquire()).release();
  await isTold(`${foreigner} 0`, 1);
  await fair.acquire();
  await fair.forceUnlock();
  await isTold(`${foreigner} 0`, 2);
});

it('the first in the line of a fair lock of Redisson hears when one of ours rests, which is shorter than the lease that it was told', async () => {
  const name = freshName();
  const { isTold } = await inRedissonsLine(name);
  const fair = openClient(kit, redisson).getFairLock(name);
  await (await fair.acquire({ minHoldMs: 60_000 })).release();
  await isTold(`${foreigner} 0`, 1);
  await fair.forceUnlock();
});

it('the first in the line of a fair lock of Redisson hears when a call of ours gives back what it was granted too late', async () => {
  await loadScripts(kit);
  const name = freshName();
  const { isTold } = await inRedissonsLine(name);
  const proxy = await openProxy(kit);
  const client = openClient(kit, { ...redisson, redis: proxy.url });
  await client.connect();
  const patience = new AbortController();
  proxy.hold('down');
  const call = client.getFairLock(name).acquire({ signal: patience.signal });
  await waitUntil(async () => (await kit.admin.exists(name)) === 1, { what: 'the lock is granted' });
  patience.abort();
  await expect(call).rejects.toThrow();
  await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the lock is given back' });
  await proxy.heal();
  await isTold(`${foreigner} 0`, 1);
});
