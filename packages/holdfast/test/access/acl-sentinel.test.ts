import { guardLeaks, startSentinel, type TestSentinel, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLockClient, type LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';
import { type Finding, holdfast } from '../cli/terminal.js';
import { allowedName, applicationRound, unhurried } from '../support/access-round.js';
import { createUserOn, documentedGrants, type Grant, password, refusedTo } from '../support/acl-rules.js';

const startMs = 60_000;

describe('behind Sentinel', () => {
  const leaks = guardLeaks({ graceMs: 5_000 });
  let sentinel: TestSentinel;

  beforeAll(async () => {
    sentinel = await startSentinel();
    await Promise.all([
      createUserOn(sentinel.nodes, 'locks', 'locks', 'named'),
      createUserOn(sentinel.watchers, 'watcher', 'watcher'),
    ]);
  }, startMs);
  afterAll(() => sentinel.stop());

  const open = (options: Partial<LockClientOptions> = {}) => {
    const { sentinels, name } = sentinel;
    const users = { username: 'locks', password, sentinelUsername: 'watcher', sentinelPassword: password };
    const client = createLockClient({ ...unhurried, ...options, redis: { sentinels, name, ...users } });
    leaks.cleanup(() => client.close());
    return client;
  };

  const heardEverywhere = async () => {
    const lists = await Promise.all(
      sentinel.watchers.map(async (watcher) => String(await (await watcher.admin()).client('LIST'))),
    );
    return lists.every((list) => / sub=2 .* user=watcher /.test(list));
  };

  const refused = async () => {
    const lists = await Promise.all([
      ...sentinel.nodes.map(async (node) => refusedTo(await node.admin(), 'locks')),
      ...sentinel.watchers.map(async (watcher) => refusedTo(await watcher.admin(), 'watcher')),
    ]);
    return lists.flat();
  };

  it('the rules in docs/security.md are enough, on data nodes and on sentinels', async () => {
    const master = await sentinel.master();
    const kit = { server: master, admin: await master.admin(), cleanup: leaks.cleanup.bind(leaks) };
    expect((await applicationRound(kit, open(), open())).undone).toEqual([]);
    expect(await refused()).toEqual([]);
  });

  it('and for a client with a name, which the sentinels are told too', async () => {
    const client = open({ clientName: 'worker' });
    await client.getLock(allowedName()).withLock(() => undefined);
    const isNamed = async () => {
      const lists = await Promise.all(
        sentinel.watchers.map(async (watcher) => String(await (await watcher.admin()).client('LIST'))),
      );
      return lists.some((list) => / name=\S*worker\S* .* user=watcher /.test(list));
    };
    await waitUntil(async () => (await isNamed()) || (await refused()).length > 0, { what: 'its name' });
    expect(await refused()).toEqual([]);
  });

  describe('what the doctor says of the sentinels to a user', () => {
    const said = async (missing?: Grant) => {
      const rules = documentedGrants('watcher').filter((grant) => grant !== missing);
      const admins = await Promise.all(sentinel.watchers.map((watcher) => watcher.admin()));
      const as = ['SETUSER', 'lacking', 'reset', 'resetchannels', 'on', `>${password}`, ...rules] as const;
      await Promise.all(admins.map((admin) => admin.acl(...as)));
      leaks.cleanup(() => Promise.all(admins.map((admin) => admin.acl('DELUSER', 'lacking'))));
      const master = await sentinel.master();
      const kit = { server: master, admin: await master.admin(), cleanup: leaks.cleanup.bind(leaks) };
      const places = sentinel.sentinels.flatMap(({ host, port }) => ['--sentinel', `${host}:${port}`]);
      const env = { REDIS_URL: '', HOLDFAST_SENTINEL_USERNAME: 'lacking', HOLDFAST_SENTINEL_PASSWORD: password };
      const { json } = await holdfast(kit, ['doctor', ...places, '--master', sentinel.name, '--json'], { env });
      const [{ findings }] = json as [{ findings: Finding[] }];
      return findings.filter(({ check }) => check === 'sentinels');
    };

    it('who has the rules of docs/security.md: all is in order', async () => {
      expect(await said()).toMatchObject([{ status: 'ok' }]);
    });

    it.each([
      ['+sentinel|get-master-addr-by-name', 'clients find no master by it'],
      ['+sentinel|sentinels', 'clients find no master by it'],
      ['+subscribe', 'clients hear late of a failover'],
      ['&+switch-master', 'clients hear late of a failover'],
      ['&+promoted-slave', 'clients hear late of a failover'],
      ['+unsubscribe', 'clients do not ask it again, and follow no master that it gets without saying so'],
    ] as const)('who lacks %s at each of them', async (right, cost) => {
      const found = await said(right);
      expect(found).toHaveLength(sentinel.watchers.length);
      for (const each of found)
        expect(each).toMatchObject({ status: 'warn', detail: `${cost}; missing: ${right}`, missing: [right] });
    });
  });

  it(
    'and also after a failover, of which the client hears from the sentinels',
    async () => {
      const client = open();
      const lock = client.getLock(allowedName());
      await lock.withLock(() => undefined);
      await waitUntil(heardEverywhere, { what: 'each sentinel is listened to' });
      await sentinel.failover();
      await lock.withLock({ waitMs: 10_000 }, () => undefined);
      expect(await refused()).toEqual([]);
    },
    startMs,
  );

  it(
    'passwords that are changed are taken from a Redis of the user, by every connection',
    async () => {
      const username = 'rotated';
      const onAll = (...command: string[]) =>
        Promise.all(
          [...sentinel.nodes, ...sentinel.watchers].map(async (node) =>
            (await node.admin()).call(...(command as ['ACL'])),
          ),
        );
      await onAll('ACL', 'SETUSER', username, 'on', '>old', '~*', '&*', '+@all');
      const { sentinels, name } = sentinel;
      const users = { username, password: 'old', sentinelUsername: username, sentinelPassword: 'old' };
      const redis = new Redis({ sentinels, name, ...users, lazyConnect: true });
      const client = createLockClient({ ...unhurried, redis });
      leaks.cleanup(() => client.close());
      const heard = async () => {
        const lists = await Promise.all(
          sentinel.watchers.map(async (watcher) => String(await (await watcher.admin()).client('LIST'))),
        );
        return lists.every((list) => / sub=2 .* user=rotated /.test(list));
      };
      await client.connect();
      await waitUntil(heard, { what: 'each sentinel is listened to' });
      await onAll('ACL', 'SETUSER', username, 'resetpass', '>new');
      Object.assign(redis.options, { password: 'new', sentinelPassword: 'new' });
      await onAll('CLIENT', 'KILL', 'USER', username);
      const back = () =>
        client.connect().then(
          () => true,
          () => false,
        );
      await waitUntil(async () => (await back()) && (await heard()), {
        what: 'every connection to be back',
        timeoutMs: 20_000,
      });
      expect(client.ready).toBe(true);
    },
    startMs,
  );
});
