import { guardLeaks, startCluster, type TestCluster, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLockClient } from 'holdfast';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { allowedName, unhurried } from '../support/access-round.js';
import { failureOf } from '../support/outcomes.js';
import { createUserOn, password, refusedTo } from '../support/acl-rules.js';

const startMs = 60_000;

describe('in a Cluster', () => {
  const leaks = guardLeaks({ graceMs: 5_000 });
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startCluster();
    await createUserOn(cluster.nodes, 'limited', 'locks', 'in-a-cluster', 'from-redis-7');
    await createUserOn(
      cluster.nodes,
      'listening',
      'locks',
      'fenced',
      'latches',
      'elections',
      'in-a-cluster',
      'from-redis-7',
    );
  }, startMs);
  afterAll(() => cluster.stop());

  const open = (username = 'limited') => {
    const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
    const redis = new Cluster(nodes, { lazyConnect: true, redisOptions: { username, password } });
    const client = createLockClient({ ...unhurried, redis });
    leaks.cleanup(async () => {
      await client.close();
      redis.disconnect();
    });
    return client;
  };

  const refused = async (username = 'limited') => {
    const lists = await Promise.all(cluster.nodes.map(async (node) => refusedTo(await node.admin(), username)));
    return lists.flat();
  };

  const queued = async (name: string) => {
    const node = await cluster.nodeOfKey(name);
    return (await (await node.admin()).zcard(`holdfast_queue:{${name}}`)) === 1;
  };

  it(
    'the rules in docs/security.md are enough: locks, nesting, waits, renewals and handoffs',
    async () => {
      const [client, other] = [open(), open()];
      for (let round = 0; round < 6; round++) {
        const name = allowedName();
        const lock = client.getLock(name);
        await lock.withLock(() => lock.withLock(() => undefined));
        const hold = await lock.acquire();
        const waiting = other.getLock(name).acquire();
        await waitUntil(() => queued(name), { what: 'the other process waits' });
        await hold.release();
        await (await waiting).release();
      }
      const hold = await client.getLock(allowedName()).acquire();
      const { renewed } = client.stats().renewals;
      await waitUntil(() => client.stats().renewals.renewed > renewed, { what: 'a renewal' });
      await hold.release();
      expect(await refused()).toEqual([]);
    },
    startMs,
  );

  it(
    'a right that is missing at one server: what is refused says which server that is',
    async () => {
      const client = open();
      const name = allowedName();
      const node = await cluster.nodeOfKey(name);
      const admin = await node.admin();
      await admin.acl('SETUSER', 'limited', '-evalsha', '-eval');
      const error = await failureOf(client.getLock(name).tryLock());
      await admin.acl('SETUSER', 'limited', '+evalsha', '+eval');
      const message = `Redis at ${node.host}:${node.port} refused a command on lock "${name}": NOPERM (error.cause has the whole of it)`;
      expect(error).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM', message });
      // Of those that let nobody look for locks it is the first.
      expect(await failureOf(client.listLocks().next())).toMatchObject({
        code: 'LOCK_REFUSED',
        message: expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ refused a command on lock "\*"/),
      });
      await Promise.all(cluster.nodes.map(async (other) => (await other.admin()).acl('LOG', 'RESET')));
    },
    startMs,
  );

  it(
    'and for those who wait for a latch or observe an election, who listen at the server of the slot in each mode',
    async () => {
      const [client, other] = [open('listening'), open('listening')];
      const latch = client.getCountDownLatch(allowedName());
      await latch.trySetCount(1);
      const waiting = latch.await();
      const election = client.election(allowedName());
      const observed = election.observe()[Symbol.asyncIterator]();
      await observed.next();
      const next = observed.next();
      const listeners = async () => {
        const lists = await Promise.all(
          cluster.nodes.map(async (node) => (await node.admin()).call('PUBSUB', 'SHARDCHANNELS') as Promise<string[]>),
        );
        return lists.flat().length;
      };
      await waitUntil(async () => (await listeners()) === 2, { what: 'both listen there' });
      const led = await other.election(election.name).campaign();
      await next;
      await led.resign();
      await other.getCountDownLatch(latch.name).countDown();
      await waiting;
      await observed.return?.();
      await waitUntil(async () => (await listeners()) === 0, { what: 'nobody listens any more' });
      expect(await refused('listening')).toEqual([]);
    },
    startMs,
  );

  // Which of them a failover makes it send depends on what it was connected to.
  it.each(['READONLY', 'READWRITE', 'ASKING'])(
    'and for what ioredis sends by itself when a master is replaced or a slot moves: %s',
    async (command) => {
      const { host, port } = await cluster.nodeOfKey('any');
      const redis = new Redis({ host, port, username: 'limited', password, lazyConnect: true });
      leaks.cleanup(() => redis.disconnect());
      await redis.connect();
      expect(await redis.call(command)).toBe('OK');
    },
  );

  it.each<[string, { node?: RedisOptions; redisOptions?: RedisOptions }]>([
    ['redisOptions', { redisOptions: { username: 'rotated', password: 'old' } }],
    ['each node', { node: { username: 'rotated', password: 'old' } }],
  ])(
    'a password that was given with %s, and is changed, is taken from the options of the Cluster, by every connection',
    async (_, { node = {}, redisOptions }) => {
      const username = 'rotated';
      const onAll = (...command: string[]) =>
        Promise.all(cluster.nodes.map(async (each) => (await each.admin()).call(...(command as ['ACL']))));
      await onAll('ACL', 'SETUSER', username, 'on', 'resetpass', '>old', '~*', '&*', '+@all');
      const nodes = cluster.nodes.map(({ host, port }) => ({ host, port, ...node }));
      const redis = new Cluster(nodes, { lazyConnect: true, ...(redisOptions && { redisOptions }) });
      const client = createLockClient({ ...unhurried, redis });
      leaks.cleanup(() => client.close());
      await client.connect();
      const hold = await client.getLock(allowedName()).acquire();
      await onAll('ACL', 'SETUSER', username, 'resetpass', '>new');
      redis.options.redisOptions = { ...redis.options.redisOptions, password: 'new' };
      await onAll('CLIENT', 'KILL', 'USER', username);
      await waitUntil(() => !client.ready, { what: 'the client to have heard of it' });
      const back = () =>
        client.connect().then(
          () => true,
          () => false,
        );
      await waitUntil(back, { what: 'every connection to be back', timeoutMs: 20_000 });
      expect(client.ready).toBe(true);
      expect(hold.state).not.toBe('lost');
      await hold.release();
    },
    startMs,
  );

  it(
    'so is one for no user by name, which requirepass sets',
    async () => {
      const admins = await Promise.all(cluster.nodes.map((node) => node.admin()));
      const set = (...rules: string[]) => Promise.all(admins.map((admin) => admin.acl('SETUSER', 'default', ...rules)));
      const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
      const redisOptions = { password: 'old' };
      const client = createLockClient({ ...unhurried, redis: new Cluster(nodes, { lazyConnect: true, redisOptions }) });
      leaks.cleanup(() => client.close());
      await set('resetpass', '>new');
      try {
        await expect(client.connect()).rejects.toThrow(/does not accept the user name or password/);
        redisOptions.password = 'new';
        const back = () =>
          client.connect().then(
            () => true,
            () => false,
          );
        await waitUntil(back, { what: 'the client to connect with the new password', timeoutMs: 20_000 });
      } finally {
        await set('nopass');
      }
    },
    startMs,
  );

  it.each<[string, RedisOptions, RedisOptions]>([
    ['', {}, {}],
    [', also when another one for the other nodes is changed', { password: 'theirs' }, { password: 'new' }],
  ])(
    'a node that was given with a password of its own keeps it%s',
    async (_, atFirst, later) => {
      const nodes = cluster.nodes.map(({ host, port }) => ({ host, port, username: 'limited', password }));
      const connectionName = 'with-its-own';
      const redisOptions = { connectionName, ...atFirst };
      const redis = new Cluster(nodes, { lazyConnect: true, redisOptions });
      const client = createLockClient({ ...unhurried, redis });
      leaks.cleanup(() => client.close());
      Object.assign(redisOptions, later);
      await client.connect();
      const lists = await Promise.all(
        cluster.nodes.map(async (node) => String(await (await node.admin()).client('LIST'))),
      );
      const lines = lists.flatMap((list) => list.split('\n')).filter((line) => line.includes(connectionName));
      expect(lines.length).toBeGreaterThan(3);
      for (const line of lines) expect(line).toContain(' user=limited ');
      await client.close();
    },
    startMs,
  );

  it(
    'without +asking a call in a slot that moves is refused, and a hold there ends with the reason',
    async () => {
      const username = 'deaf-to-moves';
      await createUserOn(cluster.nodes, username, 'locks', 'in-a-cluster');
      await Promise.all(cluster.nodes.map(async (node) => (await node.admin()).acl('SETUSER', username, '-asking')));
      const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
      const redis = new Cluster(nodes, { lazyConnect: true, redisOptions: { username, password } });
      const client = createLockClient({ ...unhurried, watchdogTimeoutMs: 2_000, redis });
      leaks.cleanup(() => client.close());
      const events: unknown[] = [];
      client.on('error', (error) => events.push(error));
      const name = allowedName();
      const hold = await client.getLock(name).acquire();
      const source = await cluster.nodeOfKey(name);
      const moved = (await cluster.masters()).find((node) => node !== source) as (typeof cluster.nodes)[number];
      const between = async (keys: { moved: readonly string[] }) => {
        if (!keys.moved.includes(name) || hold.signal.aborted) return;
        const next = client.getLock(`lock:{${name}}`);
        await expect(next.tryLock()).rejects.toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
        await waitUntil(() => hold.signal.aborted, { what: 'the loss', timeoutMs: 20_000 });
      };
      await cluster.migrateSlot(await cluster.slotOf(name), moved, { between });
      expect(hold.signal.reason).toMatchObject({ cause: { message: expect.stringMatching(/NOPERM .*asking/) } });
      expect(events.map(String)).toContainEqual(expect.stringMatching(/renewals .*NOPERM .*asking/));
    },
    startMs,
  );
});
