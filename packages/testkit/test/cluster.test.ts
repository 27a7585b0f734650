import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { existsSync, readlinkSync } from 'node:fs';
import { Cluster } from 'ioredis';
import { guardLeaks, startCluster, waitUntil } from '@holdfast/testkit';
import type { RedisServer, TestCluster } from '@holdfast/testkit';
import { accountOf } from '../src/topology/cluster-account.js';

// Longer than the site waits for itself, so that it is the site which says what is missing.
jest.setTimeout(200_000);

let kit: TestCluster;
beforeAll(async () => {
  kit = await startCluster();
});
afterAll(() => kit.stop());
const leaks = guardLeaks();

function connect(): Cluster {
  const cluster = new Cluster(kit.nodes.map(({ host, port }) => ({ host, port })));
  cluster.on('error', () => undefined);
  leaks.cleanup(() => cluster.disconnect());
  return cluster;
}

/**
 * What a node itself says to a command: an error is a value here. On a busy machine a node takes the others for dead now and then, for a
 * moment, and serves nobody then: that it says so is no answer.
 */
async function saidBy(node: RedisServer, ...command: [string, ...string[]]): Promise<string> {
  const admin = await node.admin();
  const answer = async () => {
    const said = String(await admin.call(...command).catch((error: Error) => error.message));
    return said.startsWith('CLUSTERDOWN') ? undefined : { said };
  };
  return (await waitUntil(answer, { what: `${node.port} to serve`, timeoutMs: 30_000, everyMs: 20 })).said;
}

/** The first of these names whose slot this node serves. */
async function keyOn(node: RedisServer): Promise<string> {
  for (let n = 0; ; n++) if ((await kit.nodeOfKey(`{${n}}`)) === node) return `{${n}}`;
}

describe('a cluster', () => {
  beforeEach(() => kit.whenReady());

  it('serves all keys from three masters', async () => {
    const cluster = connect();
    const names = Array.from({ length: 50 }, (_, n) => `key-${n}`);
    await Promise.all(names.map((name) => cluster.set(name, name)));
    expect(await kit.masters()).toHaveLength(3);
    for (const name of names.slice(0, 5)) {
      expect(await saidBy(await kit.nodeOfKey(name), 'GET', name)).toBe(name);
    }
  });

  it('refuses, on one node, the keys of another', async () => {
    const [one, other] = await kit.masters();
    if (one === undefined || other === undefined) throw new Error('a cluster has masters');
    const key = await keyOn(one);
    expect(await saidBy(other, 'GET', key)).toBe(`MOVED ${await kit.slotOf(key)} ${one.host}:${one.port}`);
  });

  it('fails over on demand without losing data, and back', async () => {
    const cluster = connect();
    await cluster.set('{f}', 'kept');
    const before = await kit.nodeOfKey('{f}');
    const after = await kit.failover('{f}');
    expect(after).not.toBe(before);
    expect(await kit.nodeOfKey('{f}')).toBe(after);
    expect(await saidBy(after, 'GET', '{f}')).toBe('kept');
    await kit.whenReady();
    expect(await kit.failover('{f}')).toBe(before);
    await kit.whenReady();
  });

  // The votes of an election count for two seconds, also when it is over: see Elections.
  it('is not ready while a replica could take over by the votes of an election that it won before', async () => {
    const startedAt = performance.now();
    const before = await kit.nodeOfKey('{f}');
    await kit.failover('{f}');
    expect(await kit.failover('{f}')).toBe(before);
    await kit.whenReady();
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
  });

  it('fails over when a master is killed, and when it hangs; it comes back as a replica', async () => {
    for (const [fault, end] of [
      ['kill', 'restart'],
      ['stopProcess', 'continueProcess'],
    ] as const) {
      const before = await kit.nodeOfKey('{f}');
      await before[fault]();
      leaks.cleanup(() => before[end]());
      const after = await kit.nodeOfKeyAfter('{f}', before);
      await before[end]();
      await kit.whenReady();
      expect(await kit.nodeOfKey('{f}')).toBe(after);
      // On a busy machine nodes suspect each other now and then, for a moment.
      const isReplica = async () => (await kit.replicasOfKey('{f}')).includes(before);
      await waitUntil(isReplica, { what: 'the old master to be a replica', timeoutMs: 10_000 });
    }
  });

  it('moves a slot with its keys; on the way both nodes answer as Redis does', async () => {
    const from = await kit.nodeOfKey('{m}1');
    const to = (await kit.masters()).find((node) => node !== from);
    if (to === undefined) throw new Error('a cluster has other masters');
    const slot = await kit.slotOf('{m}1');
    await Promise.all(['{m}1', '{m}2'].map((key) => saidBy(from, 'SET', key, 'v')));
    const said: string[] = [];
    const steps: number[] = [];
    await kit.migrateSlot(slot, to, {
      between: async ({ moved, left }) => {
        steps.push(left.length);
        if (moved.length !== 1) return;
        const [gone = '', stays = ''] = [moved[0], left[0]];
        said.push(
          await saidBy(from, 'GET', gone),
          await saidBy(from, 'GET', stays),
          await saidBy(from, 'MGET', gone, stays),
        );
      },
    });
    expect(steps).toEqual([2, 1, 0]);
    expect(said).toEqual([`ASK ${slot} ${to.host}:${to.port}`, 'v', expect.stringMatching(/^TRYAGAIN/)]);
    expect(await kit.nodeOfKey('{m}1')).toBe(to);
    expect(await connect().get('{m}2')).toBe('v');
    await kit.migrateSlot(slot, from);
    expect(await kit.nodeOfKey('{m}1')).toBe(from);
    await kit.whenReady();
  });

  it('goes on with a move when its target is no longer full', async () => {
    const keys = ['{m}1', '{m}2'];
    const from = await kit.nodeOfKey('{m}1');
    const [to = from] = (await kit.masters()).filter((node) => node !== from);
    await Promise.all(keys.map((key) => saidBy(from, 'SET', key, 'v')));
    const admin = await to.admin();
    const refusals = async () => /errorstat_OOM:count=(\d+)/.exec(await admin.info('errorstats'))?.[1];
    const fill = async ({ moved }: { moved: readonly string[] }) => {
      if (moved.length === 1) await admin.config('SET', 'maxmemory', '1mb');
    };
    const moving = kit.migrateSlot(await kit.slotOf('{m}1'), to, { between: fill });
    await waitUntil(refusals, { what: 'the target to refuse a key' });
    await admin.config('SET', 'maxmemory', '0');
    await moving;
    expect(await Promise.all(keys.map((key) => saidBy(to, 'GET', key)))).toEqual(['v', 'v']);
    await kit.whenReady();
  });

  it('gives up a move that has come to no end, and the slot stays where it was', async () => {
    const slot = await kit.slotOf('{m}1');
    const from = await kit.nodeOfKey('{m}1');
    const [to = from] = (await kit.masters()).filter((node) => node !== from);
    const idOf = async (node: RedisServer) => saidBy(node, 'CLUSTER', 'MYID');
    await saidBy(to, 'CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', await idOf(from));
    await saidBy(from, 'CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', await idOf(to));
    const open = async () =>
      (await Promise.all([from, to].map((node) => saidBy(node, 'CLUSTER', 'NODES')))).filter((nodes) =>
        nodes.includes(`[${slot}-`),
      ).length;
    expect(await open()).toBe(2);
    await kit.closeSlots();
    expect(await open()).toBe(0);
    expect(await kit.nodeOfKey('{m}1')).toBe(from);
    await kit.whenReady();
  });
});

it('a cluster has no bus on a port that an outgoing connection could be given', () => {
  for (const { port } of kit.nodes) expect(port + 10_000).toBeLessThan(32_768);
});

it('an account of a cluster tells, of every node, what it is and whom it takes for the master of a slot', async () => {
  await kit.whenReady();
  const slot = await kit.slotOf('{f}');
  const master = await kit.nodeOfKey('{f}');
  const [replica] = await kit.replicasOfKey('{f}');
  const dead = kit.nodes.find((node) => node !== master && node !== replica);
  await dead?.kill();
  leaks.cleanup(() => dead?.restart());
  const lines = (await accountOf(kit.nodes, slot)).split('\n');
  expect(lines).toHaveLength(kit.nodes.length);
  const lineOf = (node: RedisServer | undefined) => lines.find((line) => line.startsWith(`  ${node?.port} `));
  const seen = `slot ${slot} is of ${master.port} \\(epoch \\d+\\); failed: .*; 6 nodes known, epoch now \\d+, state \\w+`;
  expect(lineOf(master)).toMatch(new RegExp(`is a master of epoch \\d+; ${seen}$`));
  expect(lineOf(replica)).toMatch(new RegExp(`is a replica of ${master.port}, link up; ${seen}$`));
  expect(lineOf(dead)).toMatch(/does not answer/);
});

describe('the end of a cluster', () => {
  it('leaves no process and no files, also when a node hangs or is dead', async () => {
    const short = await startCluster();
    const folders = short.nodes.map(({ pid }) => readlinkSync(`/proc/${pid}/cwd`));
    const pids = short.nodes.map(({ pid }) => pid ?? 0);
    await short.nodes[0]?.stopProcess();
    await short.nodes[1]?.kill();
    await short.stop();
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });

  it('comes before the error when a node does not start', async () => {
    const failed = startCluster({ args: ['--no-such-option', '1'] });
    await expect(failed).rejects.toThrow(/no-such-option/);
  });
});
