import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { openProxy, ownDefault } from '../support/redis-inputs.js';

const kit = useRedis();

/** What no network does, but a proxy or a client library with a bug: a client gives each answer to the command that is next in its own list. */
describe.each(['a URL', 'your own client'])('two answers that change places, with %s:', (input) => {
  const setUp = async () => {
    const proxy = await openProxy(kit);
    const redis = input === 'a URL' ? proxy.url : (ownDefault.open(kit, proxy) as Redis);
    const client = openClient(kit, { redis });
    const told: string[] = [];
    client.on('error', (error) => told.push((error as Error).message));
    // It is connected, knows the scripts and hears messages.
    const warm = client.getLock(freshName());
    await warm.withLock(() => warm.withLock(() => undefined));
    await waitUntil(() => proxy.connections === 2, { what: 'the connection for messages' });
    return {
      client,
      told,
      /** What is asked in `questions` is executed, and the first two answers arrive in each other's place. */
      swapped: async (questions: () => void, executed: () => Promise<boolean>) => {
        proxy.hold('down');
        proxy.swapNextReplies();
        questions();
        await waitUntil(executed, { what: 'both to be executed' });
        await waitUntil(() => proxy.heldBytes > 0, { what: 'the answers to be on their way' });
        await proxy.heal();
        await waitUntil(() => proxy.swaps === 1, { what: 'the answers to change places' });
      },
    };
  };

  it("a lock is not believed because another's was granted: one believer, and both calls get theirs", async () => {
    const { client, told, swapped } = await setUp();
    const [taken, free] = [freshName(), freshName()];
    const holder = await openClient(kit).getLock(taken).acquire();
    let inside = 0;
    const calls: Promise<unknown>[] = [];
    const call = (name: string, section: () => unknown) => calls.push(client.getLock(name).withLock(section));
    const gotFree = new Promise<void>((resolve) => {
      void swapped(
        () => {
          call(taken, () => inside++);
          call(free, resolve);
        },
        async () => (await holdsInRedis(kit, free)) === 1,
      );
    });
    await gotFree;
    expect(inside).toBe(0);
    holder.assertHeld();
    await holder.release();
    await Promise.all(calls);
    expect(inside).toBe(1);
    expect(told.filter((message) => message.includes('out of step'))).not.toEqual([]);
    expect(await holdsInRedis(kit, taken)).toBe(0);
  });

  it('a hold is not lost because another was', async () => {
    const { client, swapped } = await setUp();
    const [kept, gone] = [freshName(), freshName()];
    const holds = { kept: await client.getLock(kept).acquire(), gone: await client.getLock(gone).acquire() };
    await kit.admin.del(gone);
    const nested: Promise<unknown>[] = [];
    const nest = (name: string, hold: { run<T>(fn: () => T): T }) =>
      nested.push(hold.run(() => client.getLock(name).withLock(() => 'inside')));
    await swapped(
      () => {
        nest(gone, holds.gone);
        nest(kept, holds.kept);
      },
      async () => (await holdsInRedis(kit, kept)) === 2,
    );
    const [lost, inside] = await Promise.allSettled(nested);
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_LOST' } });
    expect(inside).toEqual({ status: 'fulfilled', value: 'inside' });
    expect(holds.kept.state).toBe('held');
    await holds.kept.release();
    expect(await holdsInRedis(kit, kept)).toBe(0);
  });
});
