/** What the doctor says of servers of their own, which are set up as nobody should. */
import { randomUUID } from 'node:crypto';
import { semaphoreKeys } from '@holdfast/core';
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { wordsOf } from '../../src/cli/complaint.js';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { movesOf } from '../../src/cli/doctor/moving-slots.js';
import { examineServer } from '../../src/cli/doctor/server.js';
import { unavailable } from '../../src/connection/unavailable.js';
import { openClient } from '../support/clients.js';
import { FakeSentinel } from '../support/fake-sentinel.js';
import { proxyWithoutInfo } from '../support/proxy-without-info.js';
import { namedReplica } from '../support/named-replica.js';
import { holdfast, type Outcome } from './terminal.js';

const kit = useRedis();

const findingsOf = ({ json }: Outcome) => (json as [{ findings: Finding[] }])[0].findings;
const only = (findings: readonly Finding[], check: string) => findings.find((each) => each.check === check);

/** A server with these arguments, for one test. */
async function serverWith(...args: string[]) {
  const server = await startPrivateRedis({ args });
  kit.cleanup(() => server.stop());
  return server;
}

describe('a user who lacks keys only', () => {
  it('is said to lack those, and no command', async () => {
    const user = `user-${randomUUID()}`;
    await kit.admin.acl('SETUSER', user, 'reset', 'on', '>x', '~other:*', '&*', '+@all');
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    const url = `redis://${user}:x@${kit.server.host}:${kit.server.port}`;
    const outcome = await holdfast(kit, ['doctor', '--redis', url, '--json']);
    const findings = findingsOf(outcome);
    expect(only(findings, 'commands')).toMatchObject({ status: 'ok' });
    expect(only(findings, 'keys')).toMatchObject({ status: 'bad', missing: ['~*'] });
    expect(only(findings, 'lock')).toMatchObject({ detail: expect.stringMatching(/NOPERM .*key/) });
    expect(outcome.code).toBe(1);
  });
});

describe('a user who may not look', () => {
  it('is not said to have all rights for a kind of locks, nor to lack no more than can be seen', async () => {
    const user = `user-${randomUUID()}`;
    const few = ['+ping', '+info', '+eval', '+evalsha'];
    await kit.admin.acl('SETUSER', user, 'reset', 'on', '>x', '~lock:*', ...few);
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    const url = `redis://${user}:x@${kit.server.host}:${kit.server.port}`;
    const findings = findingsOf(await holdfast(kit, ['doctor', '--redis', url, '--json']));
    const without = expect.stringContaining(
      'without +exists +publish keys and channels cannot be looked at',
    ) as unknown;
    expect(only(findings, 'elections')).toMatchObject({ status: 'unknown', detail: without });
    expect(only(findings, 'read-write locks')).toMatchObject({
      status: 'warn',
      missing: ['+hrandfield'],
      detail: without,
    });
  });
});

describe('the rights that are named', () => {
  const of = (text: string) => `${text}-${randomUUID()}:`;

  it.each([
    ['no key and no channel', ['+@all']],
    ['no key but those of locks themselves', ['+@all', '~doctor*']],
    ['no right at all', ['+ping', '+info', '+config|get', '+scan', '+get']],
  ])('can be pasted into ACL SETUSER, and cure what they name: of a user with %s', async (_, rights) => {
    for (const where of [
      [],
      ['--prefix', of('doctor')],
      ['--prefix', of('{doctor}')],
      ['--prefix', of(String.raw`doctor*?[a]^\"'`)],
      ['--key-prefix', of('app'), '--prefix', of('doctor')],
    ]) {
      const user = `user-${randomUUID()}`;
      await kit.admin.acl('SETUSER', user, 'reset', 'resetchannels', 'on', '>x', '~other:*', '&other:*', ...rights);
      kit.cleanup(() => kit.admin.acl('DELUSER', user));
      const url = `redis://${user}:x@${kit.server.host}:${kit.server.port}`;
      const look = () => holdfast(kit, ['doctor', '--redis', url, ...where]);
      let outcome = await look();
      // Commands are named first, and behind them what they may be sent for.
      for (let round = 0; round < 3 && outcome.output.includes('missing: '); round++) {
        const named = [...outcome.output.matchAll(/missing: (.*)$/gm)].flatMap(([, list = '']) => list.split(' '));
        await kit.admin.acl('SETUSER', user, ...named);
        outcome = await look();
      }
      const kept = /^(?!ok).* (?:commands|keys|pub\/sub|lock) /m;
      expect({ where, ...outcome }).toMatchObject({ code: 0, output: expect.not.stringMatching(kept) });
    }
  });

  it.each([
    ['a*c', ['abc', 'ac', 'a?c']],
    ['????', ['abcd', '***?']],
    ['[a-c]', ['a', 'b', '-']],
    ['[^a]', ['b', '^', 'a']],
    [String.raw`a\c`, ['ac', String.raw`a\\c`]],
    [String.raw`a\*c`, ['a*c', 'abc', String.raw`a\bc`]],
    [`a]-^"'c`, ['a', 'a]', 'ac']],
    ['ä\u00A0é', ['ä é', 'äaé']],
  ])('open the locks of the prefix, and of no other that a pattern could mean: %s', async (part, others) => {
    const unique = randomUUID();
    const at = (text: string) => `${unique}:${text}:`;
    const user = `user-${unique}`;
    await kit.admin.acl('SETUSER', user, 'reset', 'resetchannels', 'on', '>x', '+@all');
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    const url = `redis://${user}:x@${kit.server.host}:${kit.server.port}`;
    const findings = findingsOf(await holdfast(kit, ['doctor', '--redis', url, '--prefix', at(part), '--json']));
    await kit.admin.acl('SETUSER', user, ...findings.flatMap(({ missing = [] }) => missing));
    const own = openClient(kit, { redis: url, prefix: at(part) });
    await own.connect();
    expect(await own.getLock('x').withLock(() => 'in')).toBe('in');
    const limited = new Redis(url);
    kit.cleanup(() => limited.disconnect());
    for (const other of others) {
      for (const key of [`${at(other)}x`, `holdfast_queue:{${at(other)}x}`])
        await expect(limited.exists(key)).rejects.toThrow('NOPERM');
      const channel = `redisson_lock__channel:{${at(other)}x}`;
      await expect(limited.publish(channel, '')).rejects.toThrow('NOPERM');
    }
  });

  it('are not those for a prefix with white space, which no pattern can have: that is said in their place', async () => {
    const user = `user-${randomUUID()}`;
    await kit.admin.acl('SETUSER', user, 'reset', 'resetchannels', 'on', '>x', '+@all', '&holdfast_inbox:*');
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    const url = `redis://${user}:x@${kit.server.host}:${kit.server.port}`;
    const outcome = await holdfast(kit, ['doctor', '--redis', url, '--prefix', of('a b'), '--json']);
    const findings = findingsOf(outcome);
    expect(findings.flatMap(({ missing = [] }) => missing)).toEqual([]);
    const detail = expect.stringMatching(/^Redis takes no pattern with white space/);
    expect(only(findings, 'keys')).toMatchObject({ status: 'bad', detail });
    expect(only(findings, 'pub/sub')).toMatchObject({ status: 'warn', detail });
    expect(outcome.code).toBe(1);
  });
});

describe('a user who lacks', () => {
  it.each([
    ['-subscribe', '+subscribe', 'bad'],
    ['resetchannels', '&holdfast_inbox:*', 'bad'],
    ['-publish', '+publish', 'warn'],
    ['-pubsub|numsub', '+pubsub|numsub', 'warn'],
    ['-unsubscribe', '+unsubscribe', 'warn'],
  ] as const)(
    'what messages need (%s) is told what it costs where its client could not hear, and is fit otherwise: %s is %s',
    async (rule, right, status) => {
      const { url, host, port } = await serverWith();
      const admin = new Redis(url, { lazyConnect: true });
      kit.cleanup(() => admin.disconnect());
      await admin.acl('SETUSER', 'limited', 'reset', 'on', '>x', '~*', '&*', '+@all', rule);
      const limited = `redis://limited:x@${host}:${port}`;
      const outcome = await holdfast(kit, ['doctor', '--redis', limited, '--json']);
      const [{ fit }] = outcome.json as [{ fit: boolean }];
      const finding = only(findingsOf(outcome), 'pub/sub');
      expect(finding).toMatchObject({ status, missing: expect.arrayContaining([right]) });
      expect({ fit, code: outcome.code }).toEqual(status === 'bad' ? { fit: false, code: 1 } : { fit: true, code: 0 });
      if (status === 'bad') expect(finding?.detail).toMatch(/never ready, and may never have its turn.*; missing: /);
      const client = openClient(kit, { redis: limited });
      client.on('error', () => undefined);
      if (status === 'warn') await client.connect();
      else await expect(client.connect({ timeoutMs: 500 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      await client.close();
    },
  );
});

it.each([
  ['--timeout', 'soon'],
  ['--timeout', '0ms'],
  ['--prefix', 'x'.repeat(300)],
])('options that cannot be are told as such, and not as findings about Redis: %s %s', async (...option) => {
  const { code, output } = await holdfast(kit, ['doctor', ...option]);
  expect({ code, output }).toEqual({ code: 2, output: '' });
});

describe('a server without', () => {
  it.each([
    ['PUBLISH', 'pub/sub', 'warn', 0],
    ['SUBSCRIBE', 'pub/sub', 'bad', 1],
    ['TIME', 'commands', 'bad', 1],
    ['EVALSHA', 'commands', 'bad', 1],
    ['EVAL', 'commands', 'bad', 1],
    ['PEXPIRE', 'commands', 'bad', 1],
  ])('the command %s (rename-command) is told as such, in findings', async (command, check, status, code) => {
    const { url } = await serverWith('--rename-command', command, '');
    const outcome = await holdfast(kit, ['doctor', '--redis', url, '--json']);
    expect(only(findingsOf(outcome), check)).toMatchObject({
      status,
      missing: [command],
      detail: expect.stringMatching(`(?:^|; )the server does not know ${command}: look for rename-command$`),
    });
    if (check === 'commands' && command !== 'TIME')
      expect(only(findingsOf(outcome), 'lock')).toMatchObject({
        detail: expect.stringMatching(
          /refused a command .*: the server does not know a command \(rename-command\?\), or/,
        ),
      });
    expect(outcome.code).toBe(code);
  });
});

it('a server that does not know INFO is looked at all the same, and fit; no more than that is unknown', async () => {
  const { port } = await proxyWithoutInfo(kit, 'says so');
  for (const redis of [`redis://localhost:${port}`, `redis://localhost:${port}?enableReadyCheck=false`]) {
    const outcome = await holdfast(kit, ['doctor', '--redis', redis, '--json']);
    const findings = findingsOf(outcome);
    expect(only(findings, 'version')).toMatchObject({ status: 'unknown', detail: expect.stringMatching('INFO') });
    expect(only(findings, 'lock')).toMatchObject({ status: 'ok' });
    expect(outcome.code).toBe(0);
  }
});

it('what Redis has refused is shown whole', async () => {
  const user = `user-${randomUUID()}`;
  await kit.admin.acl('SETUSER', user, 'reset', 'on', '>x', '~*', '&*', '+@all', '-evalsha');
  kit.cleanup(() => kit.admin.acl('DELUSER', user));
  const url = `redis://${user}:x@${kit.server.host}:${kit.server.port}`;
  const { errors, code } = await holdfast(kit, ['run', 'it', '--redis', url, '--', 'true']);
  expect(errors).toMatch(/Redis refused a command on lock "it": NOPERM .*'evalsha'/);
  expect(errors).not.toContain('error.cause');
  expect(code).toBe(77);
});

it.each([
  ['1', 'warn'],
  ['10', 'warn'],
  ['11', undefined],
  ['0', undefined],
])('a server that closes connections which are quiet for %s s: %s', async (timeout, status) => {
  const { url } = await serverWith('--timeout', timeout);
  expect(only(findingsOf(await holdfast(kit, ['doctor', '--redis', url, '--json'])), 'timeout')?.status).toBe(status);
});

describe('a semaphore', () => {
  it('whose permits are held on a lease is nothing left behind, behind a prefix neither', async () => {
    const prefix = `doctor-${randomUUID()}:`;
    const hold = await openClient(kit, { prefix }).getSemaphore('pool', { permits: 2 }).acquire(1);
    const { permits, count } = semaphoreKeys('pool', { prefix, keyPrefix: '' });
    kit.cleanup(async () => void (await kit.admin.del(permits, count)));
    expect(await kit.admin.pttl(permits)).toBe(-1);
    for (const args of [['--prefix', prefix], []]) {
      const finding = only(findingsOf(await holdfast(kit, ['doctor', ...args, '--json'])), 'keys-without-expiry');
      for (const key of [permits, count]) expect(finding?.missing ?? []).not.toContain(key);
    }
    await hold.release();
  });

  it("is nothing left behind where Redisson's clients have its permits on a lease; what they have without one is named", async () => {
    const prefix = `doctor-${randomUUID()}:`;
    const name = `${prefix}{pool}:1`;
    const { count, timeouts } = semaphoreKeys(name);
    kit.cleanup(async () => void (await kit.admin.del(count, timeouts)));
    await kit.admin.set(count, '1');
    await kit.admin.zadd(timeouts, Date.now() + 60_000, 'leased');
    const finding = async () =>
      only(findingsOf(await holdfast(kit, ['doctor', '--prefix', prefix, '--json'])), 'keys-without-expiry');
    expect(await finding()).toMatchObject({ status: 'ok' });
    await kit.admin.zadd(timeouts, '922337203685477', 'lasting');
    expect(await finding()).toMatchObject({ status: 'warn', missing: [timeouts] });
  });

  it("is nothing left behind where its clients have a keyPrefix of ioredis', nor is the record of a guarded value", async () => {
    const keyPrefix = `doctor-${randomUUID()}:`;
    const { host, port } = kit.server;
    const client = openClient(kit, { redis: { host, port, keyPrefix } });
    const hold = await client.getSemaphore('pool', { permits: 2 }).acquire(1);
    kit.cleanup(async () => {
      for (const key of await kit.admin.keys(`${keyPrefix}*`)) await kit.admin.del(key);
    });
    await client.getFencedLock('report').withLock(({ guard }) => guard.set('total', '1'));
    expect((await kit.admin.keys(`${keyPrefix}*`)).length).toBeGreaterThan(2);
    const outcome = await holdfast(kit, ['doctor', '--key-prefix', keyPrefix, '--json']);
    const missing = only(findingsOf(outcome), 'keys-without-expiry')?.missing ?? [];
    expect(missing.filter((key) => key.includes('holdfast_'))).toEqual([]);
    await hold.release();
  });

  it('with permits that never end is named', async () => {
    const prefix = `doctor-${randomUUID()}:`;
    const semaphore = openClient(kit, { prefix }).getSemaphore('pool', { permits: 2 });
    const hold = await semaphore.acquire(1, { leaseMs: 'never' });
    const { permits } = semaphoreKeys('pool', { prefix, keyPrefix: '' });
    kit.cleanup(() => kit.admin.del(`${prefix}pool`));
    const outcome = await holdfast(kit, ['doctor', '--prefix', prefix, '--json']);
    expect(only(findingsOf(outcome), 'keys-without-expiry')).toMatchObject({ status: 'warn', missing: [permits] });
    await hold.release();
  });
});

it.each([
  ['NOAUTH Authentication required.', 'say it in REDIS_URL'],
  ['No sentinel names the master: NOAUTH Authentication required.', 'say it in HOLDFAST_SENTINEL_PASSWORD'],
  ['tlsv13 alert certificate required', 'say --cert and --key'],
  ['unable to verify the first certificate', 'say --cacert'],
])('what a server wants is said in options of the command line: %s', (why, option) => {
  expect(wordsOf(unavailable('No answer', undefined, new Error(why)))).toContain(`: ${option}`);
});

it('what is said of no answer speaks of nothing that a shell has not', () => {
  expect(wordsOf(unavailable('No answer', undefined, undefined))).toBe(
    'No answer: is Redis up, and reachable from here?',
  );
});

it.each([
  ['1', { status: 'bad', detail: 'a replica: takes no locks, ask its master' }],
  ['0', { status: 'ok', detail: 'a replica; it takes writes' }],
])('a replica that says slave_read_only:%s takes locks where it takes writes', async (readOnly, said) => {
  const redis = new Redis(kit.server.url, { lazyConnect: true });
  kit.cleanup(() => redis.disconnect());
  await redis.connect();
  Object.assign(redis, { info: async () => `role:slave\r\nslave_read_only:${readOnly}\r\n` });
  expect(only(await examineServer(redis, 'here', 'node'), 'role')).toMatchObject(said);
});

it('of a replica its master is named, and nothing is said that only counts of masters', async () => {
  const { host, port } = kit.server;
  const server = await serverWith('--replicaof', host, `${port}`);
  const seen = async () =>
    findingsOf(await holdfast(kit, ['doctor', '--redis', server.url, '--timeout', '1s', '--json']));
  const detail = `a replica of ${host}:${port}: takes no locks, ask its master`;
  await waitUntil(async () => only(await seen(), 'role')?.detail === detail, { what: 'its link', timeoutMs: 30_000 });
  const checks = (await seen()).map(({ check }) => check);
  expect(checks).not.toContain('replicas');
  expect(checks).not.toContain('min-replicas-to-write');
  expect(checks).toContain('eviction');
}, 60_000);

it('a sentinel is told as that', async () => {
  const redis = new Redis(kit.server.url, { lazyConnect: true });
  kit.cleanup(() => redis.disconnect());
  await redis.connect();
  Object.assign(redis, { info: async () => 'redis_mode:sentinel\r\n' });
  expect(only(await examineServer(redis, 'here', 'node'), 'role')).toMatchObject({
    status: 'bad',
    detail: expect.stringContaining('say --sentinel and --master'),
  });
});

describe('sentinels', () => {
  async function examined(masters: readonly ('this' | 'another')[], { silent = 0, twice = 0 } = {}) {
    const { host, port } = kit.server;
    const sentinels = masters.map((master) => new FakeSentinel([host, master === 'this' ? port : 1]));
    await Promise.all(sentinels.map((sentinel) => sentinel.listen()));
    kit.cleanup(() => Promise.all(sentinels.map((sentinel) => sentinel.close())));
    const nodes = sentinels.map(({ address }) => `${address.host}:${address.port}`);
    await sentinels[masters.length - silent]?.close();
    const named = [...nodes, ...nodes.slice(nodes.length - twice)].flatMap((node) => ['--sentinel', node]);
    const outcome = await holdfast(kit, ['doctor', ...named, '--master', 'main', '--json'], { env: { REDIS_URL: '' } });
    return { nodes, found: findingsOf(outcome).filter(({ check }) => check === 'sentinels'), code: outcome.code };
  }

  it('that name one master are in order', async () => {
    const { found, code } = await examined(['this', 'this', 'this']);
    expect({ found, code }).toMatchObject({
      found: [{ status: 'ok', detail: expect.stringMatching('^3, ') }],
      code: 0,
    });
  });

  it('are told apart where one names another master than most: two may have one lock', async () => {
    const { found, nodes, code } = await examined(['this', 'another', 'this']);
    const detail = expect.stringMatching(
      `:1 as the master, 2 of 3 name .*:${kit.server.port}: .* two may have one lock`,
    );
    expect({ found, code }).toMatchObject({ found: [{ status: 'bad', node: nodes[1], detail }], code: 1 });
  });

  it('count once where two names differ by case only: names of hosts have none', async () => {
    const { host, port } = kit.server;
    const sentinel = new FakeSentinel([host, port]);
    await sentinel.listen();
    kit.cleanup(() => sentinel.close());
    const named = ['localhost', 'LocalHost'].flatMap((name) => ['--sentinel', `${name}:${sentinel.address.port}`]);
    const outcome = await holdfast(kit, ['doctor', ...named, '--master', 'main', '--json'], { env: { REDIS_URL: '' } });
    expect(only(findingsOf(outcome), 'sentinels')).toMatchObject({ detail: expect.stringMatching('^1, ') });
  });

  it('count once where they are named twice', async () => {
    const { found } = await examined(['this', 'another'], { twice: 1 });
    const detail = expect.stringContaining(' as the master, 1 of 2 name ');
    expect(found).toMatchObject([{ status: 'bad', detail }]);
  });

  it('that name a replica as the master: each command says so, and which', async () => {
    const { sentinel, words } = await namedReplica(kit);
    const at = `${sentinel.address.host}:${sentinel.address.port}`;
    for (const command of [['doctor'], ['ls'], ['inspect', 'a'], ['run', 'a', '--wait', '500ms']]) {
      const call = [...command, '--sentinel', at, '--master', 'main', '--timeout', '1s', '--', 'true'];
      const { code, output, errors } = await holdfast(kit, command[0] === 'run' ? call : call.slice(0, -2), {
        env: { REDIS_URL: '' },
      });
      expect({ code, said: output + errors }).toEqual({ code: 69, said: expect.stringContaining(words) });
    }
  });

  it('are named where they do not answer', async () => {
    const { found, nodes, code } = await examined(['this', 'this', 'this'], { silent: 1 });
    const detail = expect.stringMatching('cannot be asked .*ECONNREFUSED');
    expect({ found, code }).toMatchObject({ found: [{ status: 'warn', node: nodes[2], detail }], code: 0 });
  });
});

it('a version that the server does not name is unknown, and not in order', async () => {
  const redis = new Redis(kit.server.url, { lazyConnect: true });
  kit.cleanup(() => redis.disconnect());
  await redis.connect();
  Object.assign(redis, { info: async () => 'role:master\r\n' });
  expect(only(await examineServer(redis, 'here', 'node'), 'version')).toMatchObject({ status: 'unknown' });
});

it.each([
  ['that keep up are counted', ['online', 0], ['online', 1], { status: 'ok', detail: '2' }],
  [
    'that hang are named',
    ['online', 23],
    ['online', 1],
    { status: 'warn', detail: '2, but 10.0.0.1:1 has said nothing for 23 s: it confirms no lock now' },
  ],
  [
    'that are being filled are named',
    ['online', 0],
    ['wait_bgsave', 0],
    { status: 'warn', detail: '2, but 10.0.0.2:2 is still being filled (wait_bgsave): it confirms no lock now' },
  ],
] as const)('replicas %s', async (_, [one, oneLag], [other, otherLag], said) => {
  const redis = new Redis(kit.server.url, { lazyConnect: true });
  kit.cleanup(() => redis.disconnect());
  await redis.connect();
  const replicas = [
    `slave0:ip=10.0.0.1,port=1,state=${one},offset=7,lag=${oneLag}`,
    `slave1:ip=10.0.0.2,port=2,state=${other},offset=7,lag=${otherLag}`,
  ];
  Object.assign(redis, { info: async () => ['role:master', 'connected_slaves:2', ...replicas, ''].join('\r\n') });
  expect(only(await examineServer(redis, 'here', 'node'), 'replicas')).toMatchObject(said);
});

it('a slot that was to come from a server which is gone, and that another one keeps, is no trouble to locks', async () => {
  const node = (port: number, flags: string, rest: string) =>
    `${port} 127.0.0.1:${port}@1${port} ${flags} - 0 0 1 connected${rest}`;
  const server = (port: number, ...lines: string[]) =>
    ({ options: { host: '127.0.0.1', port }, call: async () => lines.join('\n') }) as unknown as Redis;
  const gone = node(3, 'master,fail', '');
  const taker = server(1, node(1, 'myself,master', ' 0-9 [15-<-3]'), node(2, 'master', ' 10-16383'), gone);
  const keeper = server(2, node(1, 'master', ' 0-9'), node(2, 'myself,master', ' 10-16383'), gone);
  const moves = await movesOf([taker, keeper]);
  const detail = expect.stringMatching(
    '^15: to come from 127.0.0.1:3, while 127.0.0.1:2 keeps them: locks do not mind',
  );
  expect(moves.findings).toEqual([{ check: 'slots', status: 'warn', node: '127.0.0.1:1', detail }]);
  expect(moves.isUnderWay(15)).toBe(false);
});

it('a master that insists on replicas which it lacks takes no locks, and the doctor says why', async () => {
  const server = await serverWith('--min-replicas-to-write', '1');
  const seen = async () => {
    const outcome = await holdfast(kit, ['doctor', '--redis', server.url, '--json']);
    return { code: outcome.code, finding: only(findingsOf(outcome), 'min-replicas-to-write') };
  };
  const detail = '1, and 0 of its replicas keep up: until they do it takes no lock (NOREPLICAS)';
  expect(await seen()).toMatchObject({ code: 1, finding: { status: 'bad', detail } });
  await serverWith('--replicaof', server.host, `${server.port}`, '--repl-diskless-sync-delay', '0');
  const admin = await server.admin();
  await waitUntil(async () => (await admin.info('replication')).includes('min_slaves_good_slaves:1'), {
    what: 'the replica to keep up',
    timeoutMs: 30_000,
  });
  expect(await seen()).toMatchObject({ code: 0, finding: { status: 'ok', detail: '1' } });
}, 60_000);

describe('the clock of a replica', () => {
  /** A master that says it has a replica there. */
  async function masterOf(replica: { readonly host: string; readonly port: number }) {
    const redis = new Redis(kit.server.url, { lazyConnect: true });
    kit.cleanup(() => redis.disconnect());
    await redis.connect();
    const info = await redis.info();
    Object.assign(redis, {
      info: () =>
        Promise.resolve(`${info}slave0:ip=${replica.host},port=${replica.port},state=online,offset=1,lag=0\r\n`),
    });
    return redis;
  }
  const clockOf = async (master: Redis, node: string) =>
    (await examineServer(master, 'here', 'node')).find((each) => each.check === 'clock' && each.node === node);

  it("is compared with its master's, and named where the two do not agree", async () => {
    const { host, port } = kit.server;
    const master = await masterOf({ host, port });
    const node = `${host}:${port}`;
    expect(await clockOf(master, node)).toMatchObject({ status: 'ok' });
    // As if the master's were 40 s behind.
    const time = master.time.bind(master);
    Object.assign(master, { time: async () => [Number((await time())[0]) - 40, 0] });
    expect(await clockOf(master, node)).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(/^this replica's is (?:39|40)\d{3} ms ahead of its master's; a failover/),
    });
  });

  it('is unknown where it cannot be reached from here', async () => {
    const master = await masterOf({ host: '127.0.0.1', port: 1 });
    expect(await clockOf(master, '127.0.0.1:1')).toMatchObject({ status: 'unknown' });
  });
});

describe('a Cluster whose slots nobody keeps', () => {
  const empty = useRedis(() => startPrivateRedis({ args: ['--cluster-enabled', 'yes'] }));

  it('is not fit, and the doctor says why', async () => {
    const { code, json } = await holdfast(empty, ['doctor', '--cluster', '--json', '--timeout', '1s']);
    const detail = expect.stringMatching(/no node of the Cluster keeps/) as unknown;
    expect(json).toEqual([{ fit: false, findings: [{ check: 'reachable', status: 'bad', detail }] }]);
    expect(code).toBe(69);
  });
});
