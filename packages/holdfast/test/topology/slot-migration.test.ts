import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@holdfast/testkit';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { useCluster, whenQueued } from '../support/topologies.js';

const kit = useCluster();
const LEASE_MS = 2_000;
/** Where nothing is to be renewed: a machine that is too busy to move a slot within a short lease loses none of these. */
const LONG_LEASE = { watchdogTimeoutMs: 30_000 };

async function anotherMaster(name: string) {
  const node = await kit.cluster.nodeOfKey(name);
  const target = (await kit.cluster.masters()).find((master) => master !== node);
  if (target === undefined) throw new Error('a cluster has several masters');
  return target;
}

describe('while a slot moves to another server', () => {
  it('a hold is renewed on whichever server has its key, and verified at the end; its waiter is served after that', async () => {
    const [holder, waiter] = [kit.open({ watchdogTimeoutMs: LEASE_MS }), kit.open()];
    const name = freshName();
    const hold = await holder.getLock(name).acquire();
    const waiting = waiter.getLock(name).acquire({ waitMs: 30_000 });
    await whenQueued(holder, name, 1);
    const proofs = () => holder.stats().renewals.renewed + holder.stats().renewals.held;
    const steps: string[] = [];
    const between = async ({ moved }: { moved: readonly string[] }) => {
      const step = moved.includes(name) ? 'after' : 'before';
      if (steps.includes(step)) return;
      steps.push(step);
      // Longer than the lease: without renewals it would be lost here.
      const before = proofs();
      await waitUntil(() => proofs() >= before + 4, { what: 'four renewals in the middle of the move' });
    };
    await kit.cluster.migrateSlot(await kit.cluster.slotOf(name), await anotherMaster(name), { between });
    expect(steps).toEqual(['before', 'after']);
    expect(holder.stats().losses).toEqual({});
    await hold.release();
    await (await waiting).release();
  }, 180_000);

  it('a release in the middle is waited out and not refused', async () => {
    const holder = kit.open(LONG_LEASE);
    const name = freshName();
    const hold = await holder.getLock(name).acquire();
    let release: Promise<void> | undefined;
    const between = () => {
      release ??= hold.release();
    };
    await kit.cluster.migrateSlot(await kit.cluster.slotOf(name), await anotherMaster(name), { between });
    await release;
    expect(holder.stats().losses).toEqual({});
    expect(await holder.getLock(name).isLocked()).toBe(false);
  }, 180_000);

  it('a release that is waited out for longer than the lease is no loss, and says what Redis has answered to it', async () => {
    const name = freshName();
    const holder = kit.open({ watchdogTimeoutMs: LEASE_MS });
    const hold = await holder.getLock(name).acquire();
    const slot = await kit.cluster.slotOf(name);
    const [source, target] = await Promise.all(
      [await kit.cluster.nodeOfKey(name), await anotherMaster(name)].map((node) => node.admin()),
    );
    if (source === undefined || target === undefined) throw new Error('a slot moves between two servers');
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(await source.call('CLUSTER', 'MYID')));
    await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(await target.call('CLUSTER', 'MYID')));
    const failed = failureOf(hold.release());
    await waitUntil(async () => (await source.call('CLUSTER', 'COUNTKEYSINSLOT', slot)) === 0, {
      what: 'the lease is over',
    });
    for (const admin of [source, target]) await admin.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
    expect(await failed).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringContaining('TRYAGAIN'),
      cause: expect.objectContaining({ message: expect.stringContaining('TRYAGAIN') }),
    });
    expect(holder.stats().losses).toEqual({});
  }, 180_000);

  it('the members of a multi-lock are given back while some have moved and some have not', async () => {
    const holder = kit.open(LONG_LEASE);
    const tag = freshName();
    const names = [1, 2, 3].map((n) => `{${tag}}:${n}`);
    const both = holder.getMultiLock(names);
    const hold = await both.acquire();
    let release: Promise<void> | undefined;
    const between = ({ moved, left }: { moved: readonly string[]; left: readonly string[] }) => {
      if (moved.length > 0 && left.length > 0) release ??= hold.release();
    };
    await kit.cluster.migrateSlot(await kit.cluster.slotOf(names[0] ?? ''), await anotherMaster(names[0] ?? ''), {
      between,
    });
    expect(release).toBeDefined();
    await release;
    expect(holder.stats().losses).toEqual({});
    expect(await both.isLocked()).toBe(false);
  }, 180_000);

  it('several locks of one slot are renewed while some have moved and some have not', async () => {
    const holder = kit.open({ watchdogTimeoutMs: LEASE_MS });
    const tag = freshName();
    const names = [1, 2, 3].map((n) => `{${tag}}:${n}`);
    const holds = await Promise.all(names.map((name) => holder.getLock(name).acquire()));
    const proofs = () => holder.stats().renewals.renewed + holder.stats().renewals.held;
    const between = async ({ moved, left }: { moved: readonly string[]; left: readonly string[] }) => {
      if (moved.length === 0 || left.length === 0) return;
      const before = proofs();
      await waitUntil(() => proofs() >= before + 12, { what: 'four renewals of each' });
    };
    await kit.cluster.migrateSlot(await kit.cluster.slotOf(names[0] ?? ''), await anotherMaster(names[0] ?? ''), {
      between,
    });
    expect(holder.stats().losses).toEqual({});
    await Promise.all(holds.map((hold) => hold.release()));
  }, 180_000);
});

/** `npm run versions` says which server it runs. */
const movesAtOnce = /^Valkey (9|\d\d)\./.test(process.env['HOLDFAST_SERVER'] ?? '');

(movesAtOnce ? describe : describe.skip)('when a slot moves to another server in one step', () => {
  it('a hold goes on, a waiter is served, and no two clients are inside at once', async () => {
    const clients = Array.from({ length: 4 }, () => kit.open({ watchdogTimeoutMs: LEASE_MS }));
    const name = freshName();
    const long = `{${name}}:long`;
    const hold = await kit.open({ watchdogTimeoutMs: LEASE_MS }).getLock(long).acquire();
    const patient = kit.open().getLock(long).acquire({ waitMs: 60_000 });
    let inside = 0;
    let most = 0;
    let sections = 0;
    let isOver = false;
    const work = async (client: (typeof clients)[number]) => {
      while (!isOver)
        await client.getLock(name).withLock(async () => {
          most = Math.max(most, ++inside);
          await new Promise(setImmediate);
          inside--;
          sections++;
        });
    };
    const working = Promise.all(clients.map(work));
    const slot = await kit.cluster.slotOf(name);
    for (let move = 0; move < 5; move++) {
      const before = sections;
      await kit.cluster.moveSlotAtOnce(slot, await anotherMaster(name));
      await waitUntil(() => sections >= before + 20, { what: 'twenty sections after the move' });
    }
    isOver = true;
    await working;
    expect(most).toBe(1);
    expect(hold.state).toBe('held');
    expect(clients.map((client) => client.stats().losses)).toEqual(clients.map(() => ({})));
    await hold.release();
    await (await patient).release();
  }, 180_000);
});
