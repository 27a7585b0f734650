import { beforeEach, describe, expect, it } from '@jest/globals';
import { type RedisServer, waitUntil } from '@holdfast/testkit';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { calm, useCluster, whenQueued } from '../support/topologies.js';
import { type Fault, itSurvives, take } from './failover.js';
import { Load } from './load.js';

const kit = useCluster();
// What is waited for says itself what is missing, and before this does.
beforeEach(() => kit.cluster.whenReady(), 100_000);

const faults: Fault[] = [
  {
    title: 'CLUSTER FAILOVER',
    mayForget: false,
    strike: async (name) => {
      await kit.cluster.failover(name);
      return () => kit.cluster.whenReady();
    },
  },
  {
    title: 'SIGKILL',
    mayForget: true,
    strike: async (name) => {
      const master = await kit.cluster.nodeOfKey(name);
      const back = await take(kit, master, 'kill', 'restart');
      await kit.cluster.nodeOfKeyAfter(name, master);
      return async () => {
        await back();
        await kit.cluster.whenReady();
      };
    },
  },
  {
    title: 'SIGSTOP',
    mayForget: true,
    strike: async (name) => {
      const master = await kit.cluster.nodeOfKey(name);
      const back = await take(kit, master, 'stopProcess', 'continueProcess');
      await kit.cluster.nodeOfKeyAfter(name, master);
      return async () => {
        await back();
        await kit.cluster.whenReady();
      };
    },
  },
];

/** Whether all of the servers refuse everything while some slots have no server. */
async function setFullCoverage(value: 'yes' | 'no'): Promise<void> {
  const set = async (node: RedisServer) => (await node.admin()).config('SET', 'cluster-require-full-coverage', value);
  await Promise.all(kit.nodes.map(set));
}

/** A lock on the same server. */
async function nameBeside(name: string): Promise<string> {
  const node = await kit.cluster.nodeOfKey(name);
  return waitUntil(async () => {
    const other = freshName();
    return (await kit.cluster.nodeOfKey(other)) === node && other;
  });
}

/** A lock on another server. */
async function nameElsewhere(name: string): Promise<string> {
  const node = await kit.cluster.nodeOfKey(name);
  return waitUntil(async () => {
    const other = freshName();
    return (await kit.cluster.nodeOfKey(other)) !== node && other;
  });
}

describe('when the server of a lock in a Cluster goes', () => {
  for (const fault of faults) itSurvives(kit, fault, nameBeside);

  it('locks of other servers do not notice', async () => {
    const name = freshName();
    const elsewhere = await nameElsewhere(name);
    // Otherwise no server answers from when the dead one is found to be dead, which on a busy machine is still in the middle of this.
    await setFullCoverage('no');
    kit.cleanup(() => setFullCoverage('yes'));
    const client = kit.open({ watchdogTimeoutMs: calm.watchdogTimeoutMs });
    const load = new Load([client, kit.open()], [elsewhere]);
    kit.cleanup(() => load.stop());
    await client.getLock(name).withLock(() => undefined);
    const suspected: string[] = [];
    client.on('suspect', (event) => suspected.push(event.name));
    const hold = await client.getLock(await nameElsewhere(name)).acquire();
    const master = await kit.cluster.nodeOfKey(name);
    const back = await take(kit, master, 'kill', 'restart');
    const answer = failureOf(client.getLock(name).tryAcquire({ waitMs: 500 }));
    await load.serves([elsewhere], 5);
    expect(await answer).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(suspected).toEqual([]);
    expect(hold.state).toBe('held');
    await hold.release();
    await load.stop();
    expect(load.strange).toEqual([]);
    await kit.cluster.nodeOfKeyAfter(name, master);
    await back();
    await kit.cluster.whenReady();
  }, 180_000);

  it('a client that was connected is ready again with the new server, also when nobody locks', async () => {
    const client = kit.open();
    await client.connect();
    expect(client.ready).toBe(true);
    const name = freshName();
    const master = await kit.cluster.nodeOfKey(name);
    const back = await take(kit, master, 'kill', 'restart');
    await waitUntil(() => !client.ready, { what: 'the loss is seen' });
    await kit.cluster.nodeOfKeyAfter(name, master);
    await waitUntil(() => client.ready, { what: 'the client to be ready again', timeoutMs: 30_000 });
    await back();
    await kit.cluster.whenReady();
  }, 180_000);

  it('a list that was begun before names every lock once', async () => {
    const prefix = `${freshName()}:`;
    const [holder, client] = [kit.open({ prefix, watchdogTimeoutMs: 60_000 }), kit.open({ prefix })];
    const names = Array.from({ length: 30 }, () => freshName());
    await Promise.all(names.map((name) => holder.getLock(name).acquire()));
    const masterOf = (name: string) => kit.cluster.nodeOfKey(prefix + name);
    // Connected for these questions, and not because it was told to be.
    for (const name of names) await client.inspect(name);
    await client.getLock(freshName()).withLock(() => undefined);
    await waitUntil(() => client.ready, { what: 'all connections' });
    const list = client.listLocks();
    const found = [(await list.next()).value?.name as string];
    const begun = await masterOf(found[0] as string);
    const other = await waitUntil(async () => {
      const name = names[Math.floor(Math.random() * names.length)] as string;
      return (await masterOf(name)) !== begun && name;
    });
    const left = await masterOf(other);
    await kit.replicated(prefix + other);
    const back = await take(kit, left, 'kill', 'restart');
    await waitUntil(() => !client.ready, { what: 'the loss is seen' });
    await kit.cluster.nodeOfKeyAfter(prefix + other, left);
    await waitUntil(() => client.ready, { what: 'a connection to the new server', timeoutMs: 30_000 });
    for await (const { name } of list) found.push(name);
    expect(found.sort()).toEqual(names.sort());
    await back();
    await kit.cluster.whenReady();
  }, 180_000);

  it('a server that comes back at once, without its data: the hold is told, the waiter goes on', async () => {
    const [holder, waiter] = [kit.open({ watchdogTimeoutMs: 30_000 }), kit.open()];
    const name = freshName();
    const hold = await holder.getLock(name).acquire();
    const waiting = waiter.getLock(name).acquire({ waitMs: 30_000 });
    await whenQueued(holder, name, 1);
    const nodes = [await kit.cluster.nodeOfKey(name), ...(await kit.cluster.replicasOfKey(name))];
    await Promise.all(nodes.map((node) => node.restart()));
    await waitUntil(() => hold.state === 'lost', { what: 'the holder to be told', timeoutMs: 20_000 });
    expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST' });
    await (await waiting).release();
    await kit.cluster.whenReady();
  }, 180_000);
});
