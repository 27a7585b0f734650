import { expect, it } from '@jest/globals';
import { waitUntil } from '@holdfast/testkit';
import { type LockClientOptions, LockTimeoutError } from 'holdfast';
import { freshName } from '../support/clients.js';
import { Room } from '../support/room.js';
import { calm, type TopologyKit, whenQueued } from '../support/topologies.js';

/** What every topology must do when nothing is wrong. */
export function itServesEveryDay(kit: TopologyKit): void {
  const open = (options: Partial<LockClientOptions> = {}) => kit.open({ ...calm, ...options });

  it('a release names the next owner in another client, on whichever server the lock lives', async () => {
    const [holder, waiter] = [open(), open()];
    for (let i = 0; i < 6; i++) {
      const name = freshName();
      const hold = await holder.getLock(name).acquire();
      const waiting = waiter.getLock(name).acquire();
      await whenQueued(holder, name, 1);
      await hold.release();
      await (await waiting).release();
    }
    // A message may be late, never most of them: the first of a client can come before its subscription does.
    expect(waiter.stats().handoffs.granted).toBeGreaterThanOrEqual(5);
  });

  it('clients exclude each other, and each passes the lock on among its own tasks', async () => {
    const clients = [open(), open(), open()];
    const name = freshName();
    const room = new Room();
    await Promise.all(
      clients.flatMap((client) => Array.from({ length: 20 }, () => client.getLock(name).withLock(() => room.visit()))),
    );
    expect(room).toMatchObject({ visits: 60, most: 1 });
    const local = clients.reduce((sum, client) => sum + client.stats().handoffs.local, 0);
    expect(local).toBeGreaterThan(0);
  });

  it('nested calls re-enter, queries and forceUnlock see the lock', async () => {
    const [client, other] = [open(), open()];
    const lock = client.getLock(freshName());
    const section = lock.withLock(async (hold) => {
      await lock.withLock(async () => {
        expect(await lock.getHoldCount()).toBe(2);
        expect(await lock.isHeldByCurrentScope()).toBe(true);
      });
      expect(await client.inspect(lock.name)).toMatchObject({
        owner: { kind: 'this-client', holdCount: 1 },
        queue: [],
      });
      const found = [];
      for await (const { name } of other.listLocks({ match: '*' })) found.push(name);
      expect(found).toContain(lock.name);
      expect(await other.getLock(lock.name).tryLock()).toBe(false);
      await expect(other.getLock(lock.name).acquire({ waitMs: 50 })).rejects.toBeInstanceOf(LockTimeoutError);
      expect(await other.getLock(lock.name).forceUnlock()).toBe(true);
      await waitUntil(() => hold.state === 'lost', { what: 'the owner to be told' });
    });
    // By message, or by the next renewal, which is first when the subscriber has only just begun to listen.
    const reason = expect.stringMatching(/^(force-unlocked|deleted)$/) as unknown;
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST', reason });
    expect(await lock.isLocked()).toBe(false);
  });

  it('the watchdog keeps many locks alive for longer than their lease', async () => {
    const client = open({ watchdogTimeoutMs: 3_000 });
    const holds = await Promise.all(Array.from({ length: 30 }, () => client.getLock(freshName()).acquire()));
    const renewed = () => client.stats().renewals.renewed;
    await waitUntil(() => renewed() >= 30 * 4, { what: 'four rounds of renewals', timeoutMs: 25_000 });
    expect(client.stats().losses).toEqual({});
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('scripts that a server does not know (any more) are sent again in full', async () => {
    const client = open();
    for (let i = 0; i < 5; i++) {
      await client.getLock(freshName()).withLock(async () => {
        await Promise.all(kit.nodes.map(async (node) => (await node.admin()).script('FLUSH')));
      });
    }
    expect(client.stats().acquisitions).toMatchObject({ won: 5, failed: 0 });
  });

  it('the client that was handed over is a template: never connected, never closed; close leaves nothing behind', async () => {
    const template = kit.template();
    const [client, other] = [open({ redis: template }), open()];
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    const waiting = other.getLock(name).acquire();
    await whenQueued(client, name, 1);
    expect(template.status).toBe('wait');
    expect((await kit.connections()).length).toBeGreaterThan(0);
    await client.close();
    await (await waiting).release();
    await other.close();
    expect(hold.state).toBe('lost');
    expect(template.status).toBe('wait');
    await waitUntil(async () => (await kit.connections()).length === 0, { what: 'all connections to be closed' });
    const left = await Promise.all(kit.nodes.map(async (node) => (await node.admin()).keys(`*${name}*`)));
    expect(left.flat()).toEqual([]);
  });
}
