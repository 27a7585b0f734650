import { randomUUID } from 'node:crypto';
import { type RedisKit, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { holdfast } from '../cli/terminal.js';
import { createUserOn, password } from '../support/acl-rules.js';
import { freshName } from '../support/clients.js';
import { useCluster } from '../support/topologies.js';

const kit = useCluster();

describe('the command line in a Cluster', () => {
  it('finds what a client with the options in the query of its URL has taken', async () => {
    const [{ url, host, port }] = kit.nodes as [(typeof kit.nodes)[number]];
    const cluster = new Cluster([{ host, port }], { lazyConnect: true, redisOptions: { keyPrefix: 'app:' } });
    kit.cleanup(() => cluster.disconnect());
    const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
    const call = (query: string, ...args: string[]) =>
      holdfast(server, [...args, '--cluster'], { env: { REDIS_URL: `${url}${query}` } });
    const client = kit.open({ redis: cluster });
    const [name, pool] = [freshName(), freshName()];
    const hold = await client.getLock(name).acquire();
    const permit = await client.getSemaphore(pool, { permits: 2 }).acquire();
    kit.cleanup(() => cluster.del(pool));
    const query = '/?keyPrefix=app:&connectTimeout=1';
    expect(await call(query, 'inspect', name)).toMatchObject({ code: 0 });
    expect((await call(query, 'ls', '--json')).json).toEqual([expect.objectContaining({ name })]);
    expect((await call(query, 'ls', '--kind', 'semaphore', '--json')).json).toHaveLength(1);
    expect((await call(query, 'doctor', '--json')).json).toEqual([expect.objectContaining({ fit: true })]);
    expect(await call('/?db=1', 'ls')).toMatchObject({ code: 2, errors: expect.stringContaining('no database but 0') });
    expect(await call(query, 'unlock', name, '--yes')).toMatchObject({ code: 0 });
    await permit.release();
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });

  it("tells Redisson's clients of a lock that it has taken, in both worlds of pub/sub", async () => {
    const [{ url }] = kit.nodes as [(typeof kit.nodes)[number]];
    const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
    const name = freshName();
    const [holder, first] = [`${randomUUID()}:1`, `${randomUUID()}:2`];
    const line = `redisson_lock_queue:{${name}}`;
    const channels = [`redisson_rwlock:{${name}}`, `redisson_lock__channel:{${name}}:${first}`];
    const heard: string[] = [];
    const ear = (await (await kit.cluster.nodeOfKey(name)).admin()).duplicate();
    kit.cleanup(() => ear.disconnect());
    ear.on('message', (channel: string) => void heard.push(`PUBLISH ${channel}`));
    ear.on('smessage', (channel: string) => void heard.push(`SPUBLISH ${channel}`));
    await ear.subscribe(...channels);
    await ear.ssubscribe(...channels);
    const cluster = new Cluster([url]);
    kit.cleanup(() => cluster.disconnect());
    await cluster.hset(name, { mode: 'read', [holder]: '1' });
    await cluster.rpush(line, first);
    kit.cleanup(() => cluster.del(line));
    expect(await holdfast(server, ['unlock', name, '--yes', '--cluster'])).toMatchObject({ code: 0, errors: '' });
    await waitUntil(() => heard.length > 3, { what: 'all messages' });
    const ways = ['PUBLISH', 'SPUBLISH'];
    expect(heard.toSorted()).toEqual(ways.flatMap((way) => channels.toSorted().map((channel) => `${way} ${channel}`)));
  });

  it('without --cluster says that a node shows its own locks only, and what to say, in words of the command line', async () => {
    const [{ url }] = kit.nodes as [(typeof kit.nodes)[number]];
    const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
    const client = kit.open();
    const names = Array.from({ length: 20 }, freshName);
    const holds = await Promise.all(names.map((name) => client.getLock(name).acquire()));
    const partly = await holdfast(server, ['ls', '--json']);
    expect(partly.json.length).toBeLessThan(names.length);
    expect(JSON.parse(partly.errors)).toEqual({
      error: { code: 'PARTIAL_VIEW', message: expect.stringContaining('add --cluster') },
    });
    for (const command of [['ls'], ['ls', '--kind', 'semaphore'], ['graph']]) {
      const { code, errors } = await holdfast(server, command);
      expect({ code, errors }).toEqual({
        code: 0,
        errors: expect.stringMatching(/one node of a Cluster.*--cluster\n$/),
      });
      expect((await holdfast(server, [...command, '--cluster'])).errors).toBe('');
    }
    const seen = new Set(partly.json.map((each) => (each as { name: string }).name));
    const [other = ''] = names.filter((name) => !seen.has(name));
    for (const command of [
      ['inspect', other],
      ['unlock', other, '--yes'],
      ['run', other, '--', 'true'],
    ]) {
      const { errors } = await holdfast(server, command);
      expect(errors).toContain('add --cluster');
      expect(errors).not.toContain('ioredis');
    }
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('names rights to the channels of a Cluster: who lacks them locks all the same, and waits longer', async () => {
    const { nodes } = kit.cluster;
    await createUserOn(nodes, 'limited', 'locks', 'in-a-cluster', 'from-redis-7');
    await Promise.all(nodes.map(async (node) => (await node.admin()).acl('SETUSER', 'limited', '-ssubscribe')));
    const set = (...rules: string[]) =>
      Promise.all(nodes.map(async (node) => (await node.admin()).acl('SETUSER', 'limited', ...rules)));
    kit.cleanup(async () => {
      for (const node of nodes) await (await node.admin()).acl('DELUSER', 'limited');
    });
    const [{ host, port }] = nodes as [(typeof nodes)[number]];
    const server = { server: { url: `redis://limited:${password}@${host}:${port}` } } as unknown as RedisKit;
    const seen = async () => {
      const { json } = await holdfast(server, ['doctor', '--cluster', '--prefix', 'lock:', '--json']);
      const [{ findings }] = json as [{ findings: { check: string; status: string; missing?: string[] }[] }];
      return findings.find(({ check }) => check === 'pub/sub');
    };
    expect(await seen()).toMatchObject({
      status: 'warn',
      missing: ['+ssubscribe'],
      detail: expect.stringMatching(/^for latches, observe\(\) of an election, and beside Java/),
    });
    await set('-spublish');
    expect(await seen()).toMatchObject({ status: 'warn', missing: ['+spublish', '+ssubscribe'] });
    await set('+spublish', '+ssubscribe');
    expect(await seen()).toMatchObject({ status: 'ok' });
    await set('-subscribe');
    expect(await seen()).toMatchObject({ status: 'bad', missing: ['+subscribe'] });
  });

  it('names the right without which holds are lost while a slot moves', async () => {
    const { nodes } = kit.cluster;
    await createUserOn(nodes, 'limited', 'locks', 'in-a-cluster', 'from-redis-7');
    kit.cleanup(async () => {
      for (const node of nodes) await (await node.admin()).acl('DELUSER', 'limited');
    });
    const [{ host, port }] = nodes as [(typeof nodes)[number]];
    const server = { server: { url: `redis://limited:${password}@${host}:${port}` } } as unknown as RedisKit;
    const seen = async () => {
      const { code, json } = await holdfast(server, ['doctor', '--cluster', '--prefix', 'lock:', '--json']);
      const [{ findings }] = json as [{ findings: { check: string; status: string; detail: string }[] }];
      return { code, finding: findings.find(({ check }) => check === 'moving-slots') };
    };
    expect(await seen()).toMatchObject({ code: 0, finding: { status: 'ok' } });
    await Promise.all(nodes.map(async (node) => (await node.admin()).acl('SETUSER', 'limited', '-asking')));
    expect(await seen()).toMatchObject({
      code: 1,
      finding: { status: 'bad', detail: 'while a slot moves, holds are lost and calls wait; missing: +asking' },
    });
  });

  it('names the master that refuses what the others do not, whichever node it is given', async () => {
    const { nodes } = kit.cluster;
    await createUserOn(nodes, 'limited', 'locks', 'in-a-cluster', 'from-redis-7');
    kit.cleanup(async () => {
      for (const node of nodes) await (await node.admin()).acl('DELUSER', 'limited');
    });
    const [odd, other] = [await kit.cluster.nodeOfKey('a'), await kit.cluster.nodeOfKey('b')];
    await (await odd.admin()).acl('SETUSER', 'limited', '-zrem');
    for (const { host, port } of [odd, other]) {
      const server = { server: { url: `redis://limited:${password}@${host}:${port}` } } as unknown as RedisKit;
      const { code, json } = await holdfast(server, ['doctor', '--cluster', '--prefix', 'lock:', '--json']);
      const [{ findings }] = json as [{ findings: { check: string }[] }];
      expect({ code, commands: findings.filter(({ check }) => check === 'commands') }).toMatchObject({
        code: 1,
        commands: [{ status: 'bad', missing: ['+zrem'], node: `${odd.host}:${odd.port}` }],
      });
      expect(findings.filter(({ check }) => check === 'keys')).toEqual([
        { check: 'keys', status: 'ok', detail: 'all rights are there' },
      ]);
    }
  });

  it('says of a master that is busy with a script that it is, whichever node it is given', async () => {
    const busy = await kit.cluster.nodeOfKey('a');
    const admin = await busy.admin();
    await admin.config('SET', 'busy-reply-threshold', '50');
    const blocker = admin.duplicate();
    kit.cleanup(() => blocker.disconnect());
    const script = blocker.eval('while true do end', 1, 'a').catch((error: unknown) => String(error));
    const isBusy = () => admin.ping().catch((error: unknown) => String(error).includes('BUSY'));
    await waitUntil(async () => (await isBusy()) === true, { what: 'the script to block the server' });
    for (const { url, port } of [busy, await kit.cluster.nodeOfKey('b')]) {
      const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
      const { code, output } = await holdfast(server, ['doctor', '--cluster', '--timeout', '1s']);
      expect(output).toMatch(
        new RegExp(`^bad +reachable +[^ ]*:${busy.port}:? .*BUSY (Redis|Valkey) is busy running a script`, 'm'),
      );
      // A node that is not busy can be asked of the others.
      expect(code).toBe(port === busy.port ? 69 : 1);
    }
    await admin.script('KILL');
    expect(await script).toContain('killed');
    await kit.cluster.whenReady();
  }, 180_000);
});
