import { type FaultProxy, seededRandom, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockClient, LockClientOptions } from 'holdfast';
import type { Redis } from 'ioredis';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { byUrl, type InputWay, openProxy, ownDefault, ownWithoutResend } from '../support/redis-inputs.js';
import { turns } from '../support/room.js';
import { type CommandName, isCommand, loadScripts } from '../support/scripts.js';

const kit = useRedis();

beforeEach(() => loadScripts(kit));

interface Situation {
  readonly client: LockClient;
  readonly proxy: FaultProxy;
  readonly name: string;
  /** The next such command is executed, and its reply is lost with the connection. */
  readonly lose: (command: CommandName) => void;
  /** As many replies have been lost as were to be; the lock is free, and nothing of it waits. */
  readonly expectFreeAfter: (losses: number) => Promise<void>;
}

async function setUp(way: InputWay, options: Partial<LockClientOptions> = {}): Promise<Situation> {
  const proxy = await openProxy(kit);
  const client = openClient(kit, { ...options, redis: way.open(kit, proxy) });
  const name = freshName();
  // The inbox is open and every later command is the test's.
  await client.getLock(freshName()).withLock(() => undefined);
  return {
    client,
    proxy,
    name,
    lose: (command) => proxy.loseNextReply({ after: isCommand(command) }),
    expectFreeAfter: async (losses) => {
      expect(proxy.repliesLost).toBe(losses);
      await waitUntil(async () => (await kit.admin.exists(name, `holdfast_queue:{${name}}`)) === 0, {
        what: 'the lock is free and nobody waits',
        timeoutMs: 3_000,
      });
      expect(await client.getLock(name).tryWithLock({}, () => 'again')).toEqual({ ran: true, value: 'again' });
    },
  };
}

const queued = (client: LockClient, name: string, size: number) =>
  waitUntil(async () => (await client.inspect(name)).queue.length === size, { what: `${size} in the queue` });

describe.each([byUrl, ownDefault, ownWithoutResend])('given by $title, a reply lost', (way) => {
  it('on ask leaves one hold', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    lose('ask');
    await client.getLock(name).withLock(async () => expect(await holdsInRedis(kit, name)).toBe(1));
    await expectFreeAfter(1);
  });

  it('on the first ask of a script that the server does not know leaves one hold', async () => {
    const { client, name, proxy, expectFreeAfter } = await setUp(way);
    await kit.admin.script('FLUSH');
    proxy.loseNextReply({ after: (request) => /eval\r\n/i.test(request.toString('latin1', 0, 40)) });
    await client.getLock(name).withLock(async () => expect(await holdsInRedis(kit, name)).toBe(1));
    await expectFreeAfter(1);
  });

  it('on the ask of a waiter leaves it its place and one hold', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const stranger = openClient(kit);
    const busy = await stranger.getLock(name).acquire();
    lose('ask');
    const waiting = client.getLock(name).acquire();
    await queued(stranger, name, 1);
    const later = openClient(kit).getLock(name).acquire();
    await queued(stranger, name, 2);
    await busy.release();
    const hold = await waiting;
    expect(await holdsInRedis(kit, name)).toBe(1);
    await hold.release();
    await (await later).release();
    await expectFreeAfter(1);
  });

  it('on a nested acquire counts it once', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    await client.getLock(name).withLock(async () => {
      lose('again');
      await client.getLock(name).withLock(async () => expect(await holdsInRedis(kit, name)).toBe(2));
      expect(await holdsInRedis(kit, name)).toBe(1);
    });
    await expectFreeAfter(1);
  });

  it('on a nested release counts it once', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const lock = client.getLock(name);
    await client.run(async () => {
      await lock.lock();
      await lock.lock();
      await lock.lock();
      lose('release');
      await lock.unlock();
      expect(await lock.getHoldCount()).toBe(2);
      await lock.unlock();
      expect(await lock.getHoldCount()).toBe(1);
      await lock.unlock();
    });
    await expectFreeAfter(1);
  });

  it('on the last release is no loss, and harms nobody who has the lock since', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const lost: unknown[] = [];
    client.on('lost', (event) => lost.push(event));
    const stranger = openClient(kit);
    const hold = await client.getLock(name).acquire();
    const waiting = stranger.getLock(name).acquire();
    await queued(stranger, name, 1);
    lose('release');
    await hold.release();
    const next = await waiting;
    expect(await holdsInRedis(kit, name)).toBe(1);
    next.assertHeld();
    await next.release();
    expect(lost).toEqual([]);
    await expectFreeAfter(1);
  });

  it('on the release of a lock nobody waits for is no loss', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    lose('release');
    expect(await client.getLock(name).withLock(() => 'done')).toBe('done');
    await expectFreeAfter(1);
  });

  it('on a handoff to the next task with a fixed lease leaves it one hold with its own lease', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const lock = client.getLock(name);
    const first = await lock.acquire({ leaseMs: 60_000 });
    const waiting = lock.acquire({ leaseMs: 20_000 });
    lose('handoff');
    await first.release();
    const second = await waiting;
    expect(await holdsInRedis(kit, name)).toBe(1);
    const ttlMs = await kit.admin.pttl(name);
    expect(ttlMs).toBeGreaterThan(15_000);
    expect(ttlMs).toBeLessThanOrEqual(20_000);
    await second.release();
    await expectFreeAfter(1);
  });

  it('on a renewal keeps the hold, for longer than its lease', async () => {
    const { client, name, proxy, lose, expectFreeAfter } = await setUp(way, { watchdogTimeoutMs: 600 });
    const startedAt = performance.now();
    const hold = await client.getLock(name).acquire();
    lose('renew');
    await waitUntil(() => proxy.repliesLost === 1, { what: 'the renewal' });
    await waitUntil(() => performance.now() - startedAt > 700 || hold.state === 'lost', { what: 'a whole lease' });
    expect(['held', 'suspect']).toContain(hold.state);
    expect(await holdsInRedis(kit, name)).toBe(1);
    await hold.release();
    await expectFreeAfter(1);
  });

  it('on a cancel leaves nobody in the queue', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const stranger = openClient(kit);
    const busy = await stranger.getLock(name).acquire();
    lose('cancel');
    expect(await client.getLock(name).tryLock(50)).toBe(false);
    await queued(stranger, name, 0);
    await busy.release();
    await expectFreeAfter(1);
  });

  it('on an ask whose caller has given up, and on its cancel, leaves the lock free', async () => {
    const { client, name, proxy, lose, expectFreeAfter } = await setUp(way);
    lose('ask');
    lose('cancel');
    proxy.delay(40, 'down');
    const outcome = await client
      .getLock(name)
      .tryLock(10)
      .catch((error: { code?: string }) => error.code);
    expect(outcome).toBe('LOCK_UNAVAILABLE');
    await waitUntil(() => proxy.repliesLost === 2, { what: 'both replies lost' });
    await expectFreeAfter(2);
  });

  it('on a force-unlock takes the lock from its holder and not from the next', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    const stranger = openClient(kit);
    const third = openClient(kit);
    const forced = await stranger.getLock(name).acquire();
    const waiting = third.getLock(name).acquire();
    await queued(stranger, name, 1);
    lose('force');
    expect(await client.getLock(name).forceUnlock()).toBe(true);
    const hold = await waiting;
    expect(await holdsInRedis(kit, name)).toBe(1);
    await waitUntil(() => forced.state === 'lost', { what: 'the victim knows' });
    await expect(forced.release()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
    await hold.release();
    await expectFreeAfter(1);
  });

  it('on a question costs a second try', async () => {
    const { client, name, lose, expectFreeAfter } = await setUp(way);
    lose('peek');
    expect(await client.getLock(name).isLocked()).toBe(false);
    lose('inspect');
    expect(await client.inspect(name)).toMatchObject({ name, queue: [] });
    await expectFreeAfter(2);
  });

  it('on the SUBSCRIBE of the inbox does not keep a waiter from its grant', async () => {
    const { client, name, proxy } = await setUp(way);
    const stranger = openClient(kit);
    const busy = await stranger.getLock(name).acquire();
    const waiting = client.getLock(name).acquire();
    await queued(stranger, name, 1);
    proxy.loseNextReply({ after: (request) => /subscribe\r\n/i.test(request.toString('latin1', 0, 40)) });
    await kit.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await waitUntil(() => proxy.repliesLost === 1, { what: 'the second subscription to be lost as well' });
    await busy.release();
    await (await waiting).release();
  });
});

describe('a copy that a dead connection delivers late', () => {
  /** A client whose next commands reach the server half a second late, on the connection that they were sent on. */
  const setUpLate = async () => {
    const proxy = await openProxy(kit);
    const redis = ownDefault.open(kit, proxy) as Redis;
    const client = openClient(kit, { redis });
    const name = freshName();
    await client.getLock(freshName()).withLock(() => undefined);
    return {
      client,
      name,
      delay: () => proxy.delay(500, 'up'),
      /** The old connection is left with what it carries; the client goes on with a new one. */
      reconnect: async () => {
        await waitUntil(() => proxy.heldBytes > 0, { what: 'the command to be on its way' });
        proxy.delay(0, 'up');
        redis.disconnect(true);
      },
      delivered: () => waitUntil(() => proxy.heldBytes === 0, { what: 'the late copy to arrive' }),
    };
  };

  it('of an ask takes no lock for a call that has given up', async () => {
    const { client, name, delay, reconnect, delivered } = await setUpLate();
    delay();
    const outcome = client
      .getLock(name)
      .tryLock(50)
      .catch((error: { code?: string }) => error.code);
    await reconnect();
    expect(await outcome).toBe('LOCK_UNAVAILABLE');
    const dead = () => kit.admin.keys(`holdfast_dead:{${name}}*`);
    await waitUntil(async () => (await dead()).length === 1, { what: 'the cancel', timeoutMs: 400 });
    await delivered();
    await kit.admin.ping();
    expect(await kit.admin.exists(name, `holdfast_queue:{${name}}`)).toBe(0);
    for (const key of await dead()) expect(await kit.admin.pttl(key)).toBeGreaterThan(30_000);
  });

  it('of an ask takes no lock for a hold that has ended since', async () => {
    const { client, name, delay, reconnect, delivered } = await setUpLate();
    delay();
    const section = client.getLock(name).withLock(() => 'done');
    await reconnect();
    expect(await section).toBe('done');
    await delivered();
    await kit.admin.ping();
    expect(await kit.admin.exists(name, `holdfast_queue:{${name}}`)).toBe(0);
  });

  it('of a release takes the lock from nobody who has it since', async () => {
    const { client, name, delay, reconnect, delivered } = await setUpLate();
    const hold = await client.getLock(name).acquire();
    delay();
    const released = hold.release();
    await reconnect();
    await released;
    const next = await openClient(kit).getLock(name).acquire();
    await delivered();
    await kit.admin.ping();
    expect(await holdsInRedis(kit, name)).toBe(1);
    await next.release();
  });
});

describe('connections that break at random', () => {
  const depths = [1, 2, 3];

  it('never let two in, never leave a lock stuck, and every count right, for 12 clients nesting on 3 locks', async () => {
    const seed = 20_261_120;
    const random = seededRandom(seed);
    const proxy = await openProxy(kit);
    const names = [freshName(), freshName(), freshName()];
    const inside = new Map(names.map((name) => [name, 0]));
    const faults: unknown[] = [];
    let sections = 0;
    let ending = false;

    const nest = async (client: LockClient, name: string, depth: number, level = 1): Promise<void> => {
      await client.getLock(name).withLock(async (hold) => {
        if (level === 1) inside.set(name, (inside.get(name) ?? 0) + 1);
        if (inside.get(name) !== 1) faults.push(`${inside.get(name)} inside at once`);
        const count = await holdsInRedis(kit, name);
        if (count !== level) faults.push(`hold count ${count} at level ${level}`);
        if (level < depth) await nest(client, name, depth, level + 1);
        else await turns(2);
        hold.assertHeld();
        if (level === 1) inside.set(name, (inside.get(name) ?? 0) - 1);
      });
    };
    const worker = async (index: number): Promise<void> => {
      const client = openClient(kit, { redis: (index % 2 === 0 ? byUrl : ownDefault).open(kit, proxy) });
      client.on('lost', ({ error }) => faults.push(error));
      while (!ending) {
        await nest(client, random.pick(names), random.pick(depths)).catch((error: unknown) => faults.push(error));
        sections++;
      }
    };
    const breakSomething = async (): Promise<void> => {
      const kind = random.pick(['kill', 'reset', 'lose', 'lose']);
      if (kind === 'reset') proxy.reset();
      if (kind === 'lose') proxy.loseNextReply();
      if (kind === 'kill') {
        const clients = String(await kit.admin.client('LIST')).split('\n');
        const ids = clients
          .filter((line) => !line.includes('name=holdfast-testkit'))
          .map((line) => /id=(\d+)/.exec(line)?.[1]);
        await kit.admin.client('KILL', 'ID', random.pick(ids.filter((id) => id !== undefined)));
      }
    };

    const workers = Array.from({ length: 12 }, (_, index) => worker(index));
    kit.cleanup(() => {
      ending = true;
    });
    for (let broken = 0; broken < 40 && faults.length === 0; broken++) {
      const seen = sections;
      await waitUntil(() => sections >= seen + 3 || faults.length > 0, { what: 'three more sections' });
      await breakSomething();
    }
    ending = true;
    await Promise.all(workers);
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    for (const name of names) {
      await waitUntil(async () => (await kit.admin.exists(name, `holdfast_queue:{${name}}`)) === 0, { what: 'free' });
    }
  }, 20_000);
});
