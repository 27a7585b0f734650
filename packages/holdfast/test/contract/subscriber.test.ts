import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { countCommands, driveTime, type FaultProxy, faultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { createLockClient } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { loadScripts } from '../support/scripts.js';

/** A waiter that is kept costs some six thousand. */
const MOST_BYTES = 2_000;

/** Commands go straight to the server, messages come through a proxy. */
describe('the connection that listens', () => {
  const kit = useRedis();
  let proxy: FaultProxy;
  let redis: Redis;

  beforeEach(async () => {
    proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    redis = new Redis(kit.server.port, kit.server.host);
    await redis.ping();
    // What is duplicated from here on connects through the proxy.
    redis.options.port = proxy.port;
    kit.cleanup(() => redis.disconnect());
  });

  const waiterOf = async (name: string, attemptTimeoutMs: number, reaskMs = 200) => {
    const waiting = createLockClient({ redis, reaskMs, claimLeaseMs: 3 * reaskMs, attemptTimeoutMs });
    kit.cleanup(() => waiting.close());
    const holder = await openClient(kit).getLock(name).acquire();
    const got = waiting.getLock(name).acquire();
    await waitUntil(async () => (await waiting.inspect(name)).queue.length === 1, { what: 'the waiter queues' });
    await waitUntil(async () => (await subscriberIds()).length === 2, { what: 'both clients listen' });
    await waitUntil(() => waiting.ready, { what: 'the waiter knows that it listens' });
    return { waiting, holder, got };
  };

  it('costs one re-ask and is replaced when it is open but dead', async () => {
    const time = driveTime(kit);
    await loadScripts(kit);
    const [attemptTimeoutMs, reaskMs] = [500, 20_000];
    const { waiting, holder, got } = await waiterOf(freshName(), attemptTimeoutMs, reaskMs);
    const before = await subscriberIds();
    proxy.hold('both');
    proxy.refuse();
    await holder.release();
    const counter = await countCommands(kit.admin);
    await time.advance(reaskMs);
    const hold = await got;
    expect(await counter.delta()).toMatchObject({ evalsha: 1 });
    expect(hold.state).toBe('held');
    expect(waiting.stats().handoffs.granted).toBe(0);
    expect(proxy.connections).toBe(1);
    await time.advance(attemptTimeoutMs);
    await waitUntil(() => proxy.connections === 0, { what: 'the dead connection is given up' });
    await proxy.heal();
    await waitUntil(
      async () => {
        await time.advance(attemptTimeoutMs);
        const now = await subscriberIds();
        return now.length === before.length && now.some((id) => !before.includes(id));
      },
      { what: 'another connection listens' },
    );
    await hold.release();
  });

  it('is left alone while it answers', async () => {
    const { holder, got } = await waiterOf(freshName(), 20_000);
    const before = await subscriberIds();
    await holder.release();
    await (await got).release();
    expect(await subscriberIds()).toEqual(before);
  });

  it('is not asked for a sign of life where a call that does not wait has asked before the message came', async () => {
    const signs: unknown[] = [];
    const duplicate = redis.duplicate.bind(redis);
    redis.duplicate = (options) => {
      const listener = duplicate(options);
      signs.push(jest.spyOn(listener, 'ping').mock.calls);
      return listener;
    };
    const name = freshName();
    const { waiting, holder, got } = await waiterOf(name, 20_000, 10_000);
    proxy.hold('down');
    await holder.release();
    expect(await waiting.getLock(name).tryLock()).toBe(false);
    const hold = await got;
    expect({ signs, granted: waiting.stats().handoffs.granted }).toEqual({ signs: [[]], granted: 0 });
    await proxy.heal();
    await hold.release();
  });

  it('leaves nothing of the locks that are taken, and found taken, while it cannot be made', async () => {
    proxy.refuse();
    const client = createLockClient({ redis });
    kit.cleanup(() => client.close());
    const [lock, taken] = [client.getLock(freshName()), client.getLock(freshName())];
    await openClient(kit).getLock(taken.name).acquire();
    const use = async (times: number) => {
      for (let i = 0; i < times; i++) await lock.withLock(() => taken.tryLock());
    };
    const heap = () => {
      globalThis.gc?.();
      return process.memoryUsage().heapUsed;
    };
    const many = 150;
    await use(many);
    // What stays is left by every round; what the engine of JavaScript needs for itself is not.
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 6 && least >= MOST_BYTES; round++) {
      const before = heap();
      await use(many);
      least = Math.min(least, (heap() - before) / many);
    }
    expect(client.ready).toBe(false);
    expect(least).toBeLessThan(MOST_BYTES);
  });

  async function subscriberIds(): Promise<string[]> {
    const list = String(await kit.admin.client('LIST', 'TYPE', 'PUBSUB'));
    return [...list.matchAll(/^id=(\d+).* sub=1 /gm)].map(([, id]) => id ?? '');
  }
});
