import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { guardedKeys } from '@holdfast/core';
import { type FaultProxy, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';
import { commands, runCommandLine } from '../../src/cli/program.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { holdfast } from './terminal.js';

const kit = useRedis();
const freshPrefix = () => `cli-${randomUUID()}:`;

/** A lock that one client has and another waits for. */
async function contended() {
  const prefix = freshPrefix();
  const [holder, waiter] = [openClient(kit, { prefix }), openClient(kit, { prefix })];
  const hold = await holder.getLock('pay:1').acquire();
  const waiting = waiter.getLock('pay:1').acquire({ leaseMs: 60_000 });
  await waitUntil(async () => (await holder.inspect('pay:1')).queue.length === 1, { what: 'a waiter' });
  return { prefix, holder, waiter, hold, waiting };
}

describe('holdfast ls', () => {
  it('lists the locks that are held: a line of JSON for each, or a table', async () => {
    const { prefix, holder, hold, waiting } = await contended();
    const reader = await holder.getReadWriteLock('book').readLock().acquire();
    const { code, json } = await holdfast(kit, ['ls', '--prefix', prefix, '--json']);
    expect(code).toBe(0);
    expect(
      [...json].sort((one, other) => ((one as { name: string }).name < (other as { name: string }).name ? -1 : 1)),
    ).toEqual([
      expect.objectContaining({ name: 'book', side: 'read', holders: 1, waiting: 0 }),
      expect.objectContaining({ name: 'pay:1', waiting: 1, owner: expect.objectContaining({ kind: 'holdfast' }) }),
    ]);
    const table = await holdfast(kit, ['ls', 'pay:*', '--prefix', prefix]);
    const [head, row, ...more] = table.output.trimEnd().split('\n');
    expect(head).toBe(`NAME   SIDE  HELD BY${' '.repeat(holder.clientId.length - 7)}  ASKED  LEASE LEFT  WAITING`);
    expect(row).toMatch(new RegExp(`^pay:1 +${holder.clientId} +- +[\\d.]+ s +1$`));
    expect(more).toEqual([]);
    expect((await holdfast(kit, ['ls', '--prefix', prefix, '--limit', '1', '--json'])).json).toHaveLength(1);
    await Promise.all([hold.release(), reader.release()]);
    await (await waiting).release();
  });

  it('on a replica says that it is one, and on a master nothing', async () => {
    const { host, port } = kit.server;
    const replica = await startPrivateRedis({ args: ['--replicaof', host, `${port}`] });
    kit.cleanup(() => replica.stop());
    for (const command of ['ls', 'graph']) {
      const { code, errors } = await holdfast(kit, [command, '--redis', replica.url]);
      expect({ code, errors }).toEqual({ code: 0, errors: expect.stringMatching(/^holdfast: this is a replica.*\n$/) });
      expect((await holdfast(kit, [command])).errors).toBe('');
    }
  });

  it('shows a name as JSON has it: it cannot write to the terminal, and looks like no other name', async () => {
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix });
    const names = ['red\u001B[31m\n\u202E\u009Bder', 'a\tb', 'a\nb', String.raw`a\nb`, 'a b'];
    const holds = await Promise.all(names.map((name) => client.getLock(name).acquire()));
    const { output } = await holdfast(kit, ['ls', '--prefix', prefix]);
    const shown = output.split('\n').map((line) => line.split('  ')[0]);
    const looks = [
      String.raw`red\u001b[31m\n\u202e\u009bder`,
      String.raw`a\tb`,
      String.raw`a\nb`,
      String.raw`a\\nb`,
      'a b',
    ];
    expect(shown).toEqual(expect.arrayContaining(looks));
    for (const [index, name] of names.entries()) {
      const told = await holdfast(kit, ['unlock', name, '--yes', '--prefix', prefix]);
      expect(told.output).toContain(`took ${looks[index]} from`);
    }
    await Promise.allSettled(holds.map((hold) => hold.release()));
  });

  it('fits a table into the terminal, which would wrap its lines; elsewhere its lines are whole', async () => {
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix, clientName: 'orders-service-production-eu-central-1' });
    const name = `order:${'1234567890'.repeat(5)}:payment`;
    const holds = [
      await client.getLock(name).acquire(),
      await client.getSemaphore(`${name}:s`, { permits: 2 }).acquire(),
    ];
    kit.cleanup(() => kit.admin.del(`${prefix}${name}:s`));
    const drawn = [['ls'], ['ls', '--kind', 'semaphore'], ['inspect', name], ['inspect', `${name}:s`]];
    for (const command of drawn) {
      const args = [...command, '--prefix', prefix];
      const narrow = await holdfast(kit, args, { answer: '', columns: 60 });
      const piped = await holdfast(kit, args, { columns: 60 });
      const rows = ({ output }: { output: string }) =>
        output.split('\n').filter((line) => !/ is (held|a semaphore)/.test(line));
      expect(Math.max(...rows(narrow).map(({ length }) => length))).toBeLessThanOrEqual(60);
      expect(rows(piped).join()).toContain(command[0] === 'ls' ? '1234567890:payment' : 'eu-central-1');
    }
    for (const hold of holds) await hold.release();
  });

  it('cuts a long name in its middle where people look, and has it whole with --json', async () => {
    const prefix = freshPrefix();
    const name = `begin${'-'.repeat(1_000)}end`;
    const hold = await openClient(kit, { prefix }).getLock(name).acquire();
    const { output } = await holdfast(kit, ['ls', '--prefix', prefix]);
    expect(output).toMatch(/^begin-+…-+end  /m);
    expect(Math.max(...output.split('\n').map(({ length }) => length))).toBeLessThan(200);
    expect((await holdfast(kit, ['ls', '--prefix', prefix, '--json'])).json).toMatchObject([{ name }]);
    await hold.release();
  });
});

describe('holdfast inspect', () => {
  it('tells who holds a lock and who waits; ends with 1 when it is free', async () => {
    const { prefix, holder, waiter, hold, waiting } = await contended();
    const { code, json } = await holdfast(kit, ['inspect', 'pay:1', '--prefix', prefix, '--json']);
    expect(code).toBe(0);
    expect(json).toEqual([
      expect.objectContaining({
        name: 'pay:1',
        owner: expect.objectContaining({
          id: expect.stringContaining(holder.clientId),
          kind: 'holdfast',
          holdCount: 1,
        }),
        queue: [expect.objectContaining({ id: expect.stringContaining(waiter.clientId), leaseMs: 60_000 })],
      }),
    ]);
    const { output } = await holdfast(kit, ['inspect', 'pay:1', '--prefix', prefix]);
    expect(output).toMatch(/^pay:1 is held\n\nHELD BY/);
    expect(output).toContain(waiter.clientId);
    await hold.release();
    await (await waiting).release();
    const free = await holdfast(kit, ['inspect', 'pay:1', '--prefix', prefix]);
    expect(free).toMatchObject({ code: 1, output: `pay:1 is free (key ${prefix}pay:1)\n`, errors: '' });
  });

  it('tells, as unlock does, which key was looked at, and that a name which is free begins with the prefix', async () => {
    const prefix = freshPrefix();
    const key = `${prefix}pay:1`;
    await openClient(kit, { prefix }).getLock('pay:1').lock();
    for (const [command, tail] of [
      ['inspect', ''],
      ['unlock', ': nothing to take'],
    ] as const) {
      expect(await holdfast(kit, [command, 'pay:1'])).toMatchObject({
        code: 1,
        output: `pay:1 is free (key pay:1, without --prefix)${tail}\n`,
        errors: '',
      });
      const withKeyPrefix = await holdfast(kit, [command, 'pay:1', '--prefix', 'app:', '--key-prefix', 'of:']);
      expect(withKeyPrefix.output).toBe(`pay:1 is free (key of:app:pay:1)${tail}\n`);
      expect(await holdfast(kit, [command, key, '--prefix', prefix])).toMatchObject({
        code: 1,
        output: `${key} is free (key ${prefix}${key})${tail}\n`,
        errors: `holdfast: ${key} begins with the prefix, and --prefix puts it in front once more: did you mean pay:1?\n`,
      });
    }
    const { json, errors } = await holdfast(kit, ['inspect', key, '--prefix', prefix, '--json']);
    expect(json).toEqual([expect.objectContaining({ name: key })]);
    expect(JSON.parse(errors)).toMatchObject({ error: { code: 'PREFIX_TWICE' } });
  });
});

describe('holdfast inspect and unlock, of what is no lock,', () => {
  it('tell a semaphore: who has how many permits, and who waits for how many', async () => {
    const prefix = freshPrefix();
    const [holder, waiter] = [openClient(kit, { prefix, clientName: 'render' }), openClient(kit, { prefix })];
    const slots = holder.getSemaphore('slots', { permits: 3 });
    await slots.trySetPermits(3);
    kit.cleanup(() => kit.admin.del(`${prefix}slots`));
    const free = await holdfast(kit, ['inspect', 'slots', '--prefix', prefix]);
    expect(free).toMatchObject({
      code: 0,
      output: expect.stringContaining('a semaphore with 3 permits, all free, or a'),
    });
    const hold = await slots.acquire(2);
    const waiting = waiter.getSemaphore('slots').acquire(2);
    const told = async () => {
      const { holders, queue } = await slots.inspect();
      return queue.length === 1 && holders[0]?.client !== undefined;
    };
    await waitUntil(told, { what: 'a waiter, and the name of the holder' });
    const { code, json } = await holdfast(kit, ['inspect', 'slots', '--prefix', prefix, '--json']);
    expect(code).toBe(0);
    expect(json).toEqual([
      expect.objectContaining({
        ...{ kind: 'semaphore', name: 'slots', permits: 3, available: 1, foreign: 0 },
        holders: [expect.objectContaining({ permits: 2, client: expect.objectContaining({ name: 'render' }) })],
        queue: [expect.objectContaining({ permits: 2, id: expect.stringContaining(waiter.clientId) })],
      }),
    ]);
    const { output } = await holdfast(kit, ['inspect', 'slots', '--prefix', prefix]);
    expect(output).toMatch(/^slots is a semaphore with 3 permits, 1 of them free\n\nHELD BY +PERMITS .*\nrender .* 2 /);
    expect(output).toContain(waiter.clientId);
    await slots.addPermits(-3);
    const { output: fewer } = await holdfast(kit, ['inspect', 'slots', '--prefix', prefix]);
    expect(fewer).toMatch(/^slots is a semaphore with 0 permits, none of them free \(-2\)\n/);
    await slots.addPermits(3);
    expect(await holdfast(kit, ['unlock', 'slots', '--yes', '--prefix', prefix])).toMatchObject({
      code: 77,
      errors: expect.stringContaining('slots is a semaphore and no lock'),
    });
    expect(hold.state).toBe('held');
    await hold.release();
    await (await waiting).release();
  });

  it('tell a latch: what is left to count; and leave what is neither to the refusal', async () => {
    const prefix = freshPrefix();
    const latch = openClient(kit, { prefix }).getCountDownLatch('parts');
    await latch.trySetCount(3);
    await latch.countDown({ by: 'a' });
    expect(await holdfast(kit, ['inspect', 'parts', '--prefix', prefix])).toMatchObject({
      code: 0,
      output: 'parts is a latch with 2 left to count; ids that have counted in this round: 1\n',
    });
    const { json } = await holdfast(kit, ['inspect', 'parts', '--prefix', prefix, '--json']);
    expect(json).toEqual([{ kind: 'latch', name: 'parts', count: 2, round: expect.any(String), counted: 1 }]);
    expect(await holdfast(kit, ['unlock', 'parts', '--yes', '--prefix', prefix])).toMatchObject({ code: 77 });
    expect(await latch.getCount()).toBe(2);
    await kit.admin.set(`${prefix}text`, 'a text', 'PX', 60_000);
    expect(await holdfast(kit, ['inspect', 'text', '--prefix', prefix])).toMatchObject({
      code: 77,
      errors: expect.stringContaining('this key is not a lock'),
    });
    await latch.delete();
  });
});

describe('holdfast ls --kind', () => {
  it('lists the semaphores that are in use, and the latches, also those with braces, and nothing else', async () => {
    const prefix = `${freshPrefix()}[a]*:`;
    const client = openClient(kit, { prefix });
    const names = ['slots', 'slots:{a}', 'idle'];
    kit.cleanup(() => kit.admin.del(...names.map((name) => prefix + name)));
    const pool = (name: string) => client.getSemaphore(name, { permits: 3 });
    const holds = await Promise.all([pool('slots').acquire(2), pool('slots:{a}').acquire()]);
    await (await pool('idle').acquire()).release();
    const lock = await client.getLock('lock').acquire();
    const latch = client.getCountDownLatch('parts');
    await latch.trySetCount(3);
    const ls = (...args: string[]) => holdfast(kit, ['ls', ...args, '--prefix', prefix]);
    expect((await ls('--kind', 'semaphore')).output).toBe(
      'NAME       PERMITS  FREE  HOLDERS  WAITING\nslots      3        1     1        0\nslots:{a}  3        2     1        0\n',
    );
    expect((await ls('slot?', '--kind', 'semaphore', '--json')).json).toEqual([
      expect.objectContaining({ kind: 'semaphore', name: 'slots', permits: 3, holders: [expect.anything()] }),
    ]);
    expect((await ls('--kind', 'semaphore', '--limit', '1', '--json')).json).toHaveLength(1);
    expect((await ls('--kind', 'latch')).output).toBe('NAME   LEFT  COUNTED\nparts  3     0\n');
    expect((await ls('--kind', 'lock', '--json')).json).toEqual([expect.objectContaining({ name: 'lock' })]);
    expect(await ls('--kind', 'door')).toMatchObject({ code: 2, errors: expect.stringContaining('--kind must be') });
    await Promise.all([...holds, lock].map((hold) => hold.release()));
    await latch.delete();
    expect((await ls('--kind', 'semaphore', '--json')).json).toEqual([]);
  });

  it('goes through no more keys when it has as many as --limit says', async () => {
    const server = await startPrivateRedis();
    kit.cleanup(() => server.stop());
    const client = openClient(kit, { redis: server.url });
    const hold = await client.getSemaphore('slots', { permits: 3 }).acquire();
    const ls = ['ls', '--kind', 'semaphore', '--limit', '1', '--json', '--redis', server.url];
    expect((await holdfast(kit, ls)).json).toHaveLength(1);
    expect(await (await server.admin()).info('commandstats')).toMatch(/^cmdstat_scan:calls=1,/m);
    await hold.release();
  });

  it('says that it may not look, and that nobody answers', async () => {
    const user = `user-${randomUUID()}`;
    await kit.admin.acl('SETUSER', user, 'reset', 'on', '>x', '~*', '&*', '+@all', '-scan');
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    const { host, port } = kit.server;
    const args = ['ls', '--kind', 'latch', '--json', '--redis'];
    expect(await holdfast(kit, [...args, `redis://${user}:x@${host}:${port}`])).toMatchObject({
      code: 77,
      errors: expect.stringContaining('LOCK_REFUSED'),
    });
    expect(await holdfast(kit, [...args, 'redis://127.0.0.1:1', '--timeout', '100ms'])).toMatchObject({ code: 69 });
  });
});

describe('holdfast ls --kind on a bad connection', () => {
  const answer = { after: (request: Buffer) => /scan\r\n/i.test(request.toString('latin1', 0, 40)) };
  const from = (proxy: FaultProxy) => ['ls', '--kind', 'semaphore', '--redis', proxy.url, '--timeout', '300ms'];

  it('ends with 69 when the connection breaks in the middle', async () => {
    const proxy = await openProxy(kit);
    proxy.loseNextReply(answer);
    expect(await holdfast(kit, from(proxy))).toMatchObject({ code: 69, errors: expect.stringContaining('no answer') });
  });

  it('ends with 69 when an answer takes longer than --timeout says', async () => {
    const proxy = await openProxy(kit);
    // From the first page on nothing comes through any more.
    const silenced = (request: Buffer) => {
      if (answer.after(request)) proxy.blackHole();
      return false;
    };
    proxy.loseNextReply({ after: silenced });
    expect(await holdfast(kit, from(proxy))).toMatchObject({ code: 69, errors: expect.stringContaining('no answer') });
    proxy.withdrawLosses();
    await proxy.heal();
  });
});

describe('holdfast unlock', () => {
  it('takes the lock from its holder, who is told, and says from whom', async () => {
    const { prefix, holder, hold, waiting } = await contended();
    const { code, json } = await holdfast(kit, ['unlock', 'pay:1', '--yes', '--prefix', prefix, '--json']);
    expect(code).toBe(0);
    expect(json).toEqual([
      { name: 'pay:1', taken: true, from: [{ id: expect.stringContaining(holder.clientId), kind: 'holdfast' }] },
    ]);
    await waitUntil(() => hold.state === 'lost', { what: 'the holder is told' });
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST' });
    await (await waiting).release();
  });

  it('says by which name the client has it that it is taken from, with --json too', async () => {
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix, clientName: 'payroll' });
    const hold = await client.getLock('pay').acquire();
    const isNamed = async () => (await client.inspect('pay')).owner?.client !== undefined;
    await waitUntil(isNamed, { what: 'the client is named' });
    const { json } = await holdfast(kit, ['unlock', 'pay', '--yes', '--prefix', prefix, '--json']);
    expect(json).toMatchObject([{ taken: true, from: [{ kind: 'holdfast', client: { name: 'payroll' } }] }]);
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('asks somebody who sits there, and refuses without --yes elsewhere', async () => {
    const { prefix, hold, waiting } = await contended();
    const args = ['unlock', 'pay:1', '--prefix', prefix];
    expect(await holdfast(kit, args)).toMatchObject({ code: 2, errors: expect.stringContaining('--yes') });
    expect(await holdfast(kit, args, { answer: 'n' })).toMatchObject({
      code: 1,
      output: expect.stringContaining('left as it is'),
    });
    expect(hold.state).toBe('held');
    expect(await holdfast(kit, args, { answer: 'y' })).toMatchObject({
      code: 0,
      output: expect.stringContaining('took pay:1 from'),
    });
    await (await waiting).release();
    expect(await holdfast(kit, [...args, '--yes'])).toMatchObject({
      code: 1,
      output: `pay:1 is free (key ${prefix}pay:1): nothing to take\n`,
    });
  });

  it('of a lock that rests says that nobody works, and that what it guards runs again', async () => {
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix });
    await client.getLock('nightly').withLock({ minHoldMs: 300_000 }, () => undefined);
    await waitUntil(async () => (await client.inspect('nightly')).owner?.resting, { what: 'it rests' });
    const args = ['unlock', 'nightly', '--prefix', prefix];
    const rests =
      /obody holds nightly: it was given back, and rests for another [45] min.* does not run again before\./;
    const { code, errors } = await holdfast(kit, args);
    expect({ code, errors }).toEqual({ code: 2, errors: expect.stringMatching(rests) });
    expect(errors).toContain('Say --yes to let it run again at once');
    const asked = await holdfast(kit, args, { answer: 'n' });
    expect(asked).toMatchObject({ code: 1, output: expect.stringMatching(rests) });
    expect(asked.output).toContain('Let it run again at once? [y/N]');
    expect(`${errors}${asked.output}`).not.toMatch(/from nobody|middle of its work/);
    expect(await holdfast(kit, [...args, '--yes'])).toMatchObject({
      code: 0,
      output: 'nightly rests no more: it can be taken at once\n',
    });
    expect((await client.inspect('nightly')).owner).toBeUndefined();
  });

  it('takes a read-write lock from all who read, and from the writer', async () => {
    const prefix = freshPrefix();
    const [one, other] = [openClient(kit, { prefix }), openClient(kit, { prefix })];
    const reading = await Promise.all([one, other].map((each) => each.getReadWriteLock('book').readLock().acquire()));
    const args = ['unlock', 'book', '--yes', '--prefix', prefix, '--json'];
    const { json } = await holdfast(kit, args);
    expect(json).toEqual([{ name: 'book', taken: true, from: [expect.anything(), expect.anything()] }]);
    await waitUntil(() => reading.every(({ state }) => state === 'lost'), { what: 'both readers are told' });
    const writing = await one.getReadWriteLock('book').writeLock().acquire();
    expect((await holdfast(kit, args)).json).toMatchObject([{ taken: true }]);
    await waitUntil(() => writing.state === 'lost', { what: 'the writer is told' });
  });

  it("tells Redisson's clients that wait for it to read or write, and the first in the line of its fair lock", async () => {
    const prefix = freshPrefix();
    const [name, thread] = [`${prefix}book`, (of: number) => `${randomUUID()}:${of}`];
    const first = thread(2);
    const heard: string[] = [];
    const ear = kit.admin.duplicate();
    kit.cleanup(() => ear.disconnect());
    ear.on('message', (channel: string, message: string) => void heard.push(`${message} on ${channel}`));
    const [shared, own] = [`redisson_rwlock:{${name}}`, `redisson_lock__channel:{${name}}:${first}`];
    await ear.subscribe(shared, own);
    await kit.admin.rpush(`redisson_lock_queue:{${name}}`, first, thread(3));
    kit.cleanup(() => kit.admin.del(`redisson_lock_queue:{${name}}`));
    const args = ['unlock', 'book', '--yes', '--prefix', prefix];
    expect(await holdfast(kit, args)).toMatchObject({ code: 1 });
    await kit.admin.hset(name, { mode: 'read', [thread(1)]: '1' });
    expect(await holdfast(kit, args)).toMatchObject({ code: 0, errors: '' });
    await waitUntil(() => heard.length > 1, { what: 'both messages' });
    expect(heard.toSorted()).toEqual([`0 on ${own}`, `1 on ${shared}`]);
  });
});

describe('holdfast doctor', () => {
  it('finds a server in order', async () => {
    const { code, json } = await holdfast(kit, ['doctor', '--prefix', freshPrefix(), '--json']);
    expect(json).toMatchObject([{ fit: true }]);
    const [{ findings }] = json as [{ findings: { check: string; status: string; ms?: number }[] }];
    // How long a round trip takes is the machine's business.
    const others = findings.filter(({ check }) => check !== 'round-trip');
    expect(others.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(others.map(({ check }) => check)).toEqual([
      ...['reachable', 'version', 'role', 'eviction', 'replicas', 'scripts', 'min-replicas-to-write', 'clock'],
      ...['commands', 'keys', 'pub/sub', 'read-write locks', 'semaphores', 'latches', 'elections'],
      ...['keys-without-expiry', 'lock'],
    ]);
    expect(code).toBe(0);
  });

  it('names the server that it looked at as its URL does, also by its socket', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'holdfast-')), 'redis.sock');
    kit.cleanup(() => rmSync(dirname(path), { recursive: true }));
    const server = await startPrivateRedis({ args: ['--unixsocket', path] });
    kit.cleanup(() => server.stop());
    for (const [url, name] of [
      [server.url, `${server.host}:${server.port}`],
      [`redis://localhost/?path=${path}`, path],
    ] as const) {
      const { output } = await holdfast(kit, ['doctor', '--redis', url]);
      expect(output).toMatch(new RegExp(`^ok +reachable +node ${name}$`, 'm'));
      expect(output).toMatch(new RegExp(`^ok +role +${name} master$`, 'm'));
    }
  });

  it('finds nothing wrong with what is to last: the record of a guarded value without a TTL', async () => {
    const keys = [`data-${freshName()}`, `{data}-${freshName()}`];
    kit.cleanup(async () => void (await kit.admin.del(...keys.flatMap((key) => [key, guardedKeys(key).record]))));
    const hold = await openClient(kit).getFencedLock(freshName()).acquire();
    for (const key of keys) await hold.guard.set(key, 'kept');
    await hold.release();
    for (const key of keys) expect(await kit.admin.pttl(guardedKeys(key).record)).toBe(-1);
    const { json } = await holdfast(kit, ['doctor', '--prefix', freshPrefix(), '--json']);
    const [{ findings }] = json as [{ findings: { check: string }[] }];
    expect(findings.find(({ check }) => check === 'keys-without-expiry')).toMatchObject({
      status: 'ok',
      detail: 'none',
    });
  });

  it('names the rights that are missing, and the keys that nothing will ever take away', async () => {
    const prefix = freshPrefix();
    const user = `user-${randomUUID()}`;
    await kit.admin.acl('SETUSER', user, 'reset', 'on', '>x', `~${prefix}*`, '+@all', '-zadd', '-hset', '-subscribe');
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    await kit.admin.hset(`${prefix}old`, 'a:1', '1', 'seq', '1');
    kit.cleanup(() => kit.admin.del(`${prefix}old`));
    const { host, port } = kit.server;
    const redis = ['--redis', `redis://${user}:x@${host}:${port}`];
    const { code, json } = await holdfast(kit, ['doctor', ...redis, '--prefix', prefix, '--json']);
    expect(code).toBe(1);
    const [{ fit, findings }] = json as [
      { fit: boolean; findings: { check: string; status: string; missing?: string[] }[] },
    ];
    expect(fit).toBe(false);
    const finding = (check: string) => findings.find((each) => each.check === check);
    expect(finding('commands')).toMatchObject({ status: 'bad', missing: ['+hset', '+zadd'] });
    expect(finding('keys')).toMatchObject({
      status: 'bad',
      missing: expect.arrayContaining([`~holdfast_queue:{${prefix}*`]),
    });
    const writers = [`~holdfast_rw_writers:{${prefix}*`];
    expect(finding('read-write locks')).toMatchObject({ status: 'warn', missing: expect.arrayContaining(writers) });
    expect(finding('pub/sub')?.missing).toEqual(expect.arrayContaining(['&holdfast_inbox:*', '+subscribe']));
    expect(finding('keys-without-expiry')).toMatchObject({ status: 'warn', missing: [`${prefix}old`] });
    expect(finding('lock')).toMatchObject({ status: 'bad' });
    const said = await holdfast(kit, ['doctor', ...redis, '--prefix', prefix]);
    expect(said.output).toMatch(/^bad +commands +missing: \+hset \+zadd$/m);
  });
});

describe('the command line', () => {
  it('says what is wrong with it, with code 2, and sends nothing', async () => {
    const wrong: [args: string[], says: RegExp][] = [
      [['frob'], /there is no command "frob"/],
      [['constructor'], /there is no command/],
      [['--redis', 'redis://a', 'ls'], /the command comes first, and "--redis" behind it/],
      [['inspect'], /usage: holdfast inspect NAME/],
      [['ls', 'a', 'b'], /usage: holdfast ls/],
      [['ls', '--frob'], /--frob/],
      [['ls', '--limit', '0'], /--limit/],
      [['ls', '--timeout', 'soon'], /--timeout must be a time/],
      [['ls', '--timeout', '0'], /--timeout must be between 1ms and .*, not "0"/],
      [['run', 'x', '--lease', '99ms', '--', 'true'], /--lease must be between 100ms and .*, not "99ms"/],
      [['run', 'x', '--wait', '9999h', '--', 'true'], /--wait must be between 0ms and .*596h.*, not "9999h"/],
      [['run', 'x', '--grace', '597h', '--', 'true'], /--grace must be/],
      [['watch', '--every', '99ms', '--json'], /--every must be between 100ms/],
      [['ls', '--redis', 'localhost'], /must be a URL/],
      [['ls', '--redis', 'redis://a:99999'], /cannot be read: are its host and its port right/],
      [['ls', '--redis', 'redis://a', '--redis', 'redis://b'], /--cluster/],
      [['ls', '--sentinel', 'a:1'], /--master/],
      [['ls', '--master', 'a'], /--sentinel/],
      [['inspect', 'holdfast_x'], /reserved/],
      [['unlock', 'a{b', '--yes'], /a\{b/],
      [['run', '', '--', 'true'], /name/],
      [['ls', '--prefix', 'holdfast_x'], /prefix/],
      [['run', 'x'], /--/],
    ];
    for (const [args, says] of wrong) {
      const outcome = await holdfast(kit, args);
      expect({ args, ...outcome }).toMatchObject({ code: 2, errors: expect.stringMatching(says), output: '' });
      expect(outcome.errors.split('\n')).toHaveLength(2);
    }
    expect(await holdfast(kit, [])).toMatchObject({ code: 2, output: expect.stringContaining('usage:') });
    expect(await holdfast(kit, ['--help'])).toMatchObject({ code: 0, output: expect.stringContaining('doctor') });
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await holdfast(kit, ['--version'])).toMatchObject({ code: 0, output: `${version}\n` });
    expect(await holdfast(kit, ['ls', '--help'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('ls [PATTERN]'),
    });
    const { output } = await holdfast(kit, ['run', '--help']);
    for (const option of ['wait', 'lease', 'grace'])
      expect(output).toMatch(new RegExp(`^  --${option} TIME .*default`, 'm'));
  });

  it('calls what goes wrong in itself no mistake of the user, and says where it was', async () => {
    const said: string[] = [];
    const broken = () => {
      throw new TypeError('what.is is not a function');
    };
    const code = await runCommandLine(['--help'], { write: broken, warn: (line: string) => said.push(line) } as never);
    expect({ code, said }).toEqual({
      code: 70,
      said: [
        expect.stringMatching(/^holdfast: a mistake of holdfast.*what\.is is not a function at .*broken.*cli\.test/),
      ],
    });
  });

  it.each(Object.values(commands))('names each option of a command in its help: $usage', ({ usage, options }) => {
    for (const option of Object.keys(options)) expect(usage).toContain(`--${option}`);
  });

  it('names the right that a list of semaphores lacks, and what was asked for, not the key that it is kept under', async () => {
    const user = `user-${randomUUID()}`;
    await kit.admin.acl('SETUSER', user, 'reset', 'on', '>x', '~*', '&*', '+@all', '-scan');
    kit.cleanup(() => kit.admin.acl('DELUSER', user));
    const url = `redis://${user}:x@${kit.server.host}:${kit.server.port}`;
    const { code, errors } = await holdfast(kit, ['ls', '--kind', 'semaphore', '--redis', url]);
    expect(code).toBe(77);
    expect(errors).toMatch(/^holdfast: Redis refused a command on semaphore "\*": NOPERM .*scan/);
  });

  it('shows all that is wrong as it looks, in one line: a name cannot write to the terminal', async () => {
    const prefix = freshPrefix();
    const evil = 'red\u001B[31m\u009B5m\n\u202Eder';
    const hold = await openClient(kit, { prefix }).getLock(evil).acquire();
    const text = `${prefix}text${evil}`;
    await kit.admin.set(text, 'a text', 'PX', 60_000);
    const wrong: string[][] = [
      ['run', evil, '--wait', '0', '--prefix', prefix, '--', 'true'],
      ['run', `${evil}2`, '--prefix', prefix, '--', `./${evil}`],
      ['run', `text${evil}`, '--prefix', prefix, '--', 'true'],
      ['inspect', `text${evil}`, '--prefix', prefix],
      ['unlock', evil, '--prefix', prefix],
      ['ls', '--timeout', evil],
      ['ls', '--sentinel', evil, '--master', 'm'],
      ['ls', `--${evil}`],
      [evil],
    ];
    for (const args of wrong) {
      const { errors } = await holdfast(kit, args);
      expect({ args, errors }).toMatchObject({
        errors: expect.stringMatching(/red\\u001b\[31m\\u009b5m(?:\\n| )\\u202eder/),
      });
      expect(errors).toMatch(/^[^\p{Cc}\p{Bidi_Control}]+\n$/u);
    }
    expect((await holdfast(kit, ['ls', '--prefix', '--x'])).errors).toMatch(/^holdfast: .*ambiguous\. Did .*\n$/);
    const busy = await holdfast(kit, ['run', evil, '--wait', '0', '--prefix', prefix, '--json', '--', 'true']);
    expect(JSON.parse(busy.errors)).toEqual({ error: { code: 'LOCK_TIMEOUT', message: `${evil} is busy` } });
    await hold.release();
  });

  it('takes what stands behind -- for a name, also when it begins with a dash', async () => {
    const prefix = freshPrefix();
    const hold = await openClient(kit, { prefix }).getLock('-n').acquire();
    const behind = ['--prefix', prefix, '--json'];
    expect(await holdfast(kit, ['inspect', ...behind, '--', '-n'])).toMatchObject({ code: 0, json: [{ name: '-n' }] });
    const busy = await holdfast(kit, ['run', '--wait', '0', ...behind, '--', '-n', '--', 'node', '--', '-e']);
    expect(JSON.parse(busy.errors)).toEqual({ error: { code: 'LOCK_TIMEOUT', message: '-n is busy' } });
    expect(busy.code).toBe(75);
    await hold.release();
    const unknown = await holdfast(kit, ['run', ...behind, '--', '-n', '--', './there-is-no-such-command']);
    expect(unknown).toMatchObject({ code: 127, errors: expect.stringMatching(/^\{"error":/) });
  });

  it('doctor says why a server cannot be reached', async () => {
    const { host, port } = kit.server;
    const { code, output } = await holdfast(kit, ['doctor', '--redis', `redis://nobody:bad@${host}:${port}`]);
    expect(output).toMatch(/^bad +reachable +.*WRONGPASS/);
    expect(code).toBe(69);
  });

  it('ends with 69 when nobody answers, with 77 when the key is no lock; errors are JSON where the output is', async () => {
    const nowhere = ['--redis', 'redis://127.0.0.1:1', '--timeout', '200ms'];
    expect(await holdfast(kit, ['inspect', 'x', ...nowhere])).toMatchObject({ code: 69, output: '' });
    expect((await holdfast(kit, ['doctor', ...nowhere])).code).toBe(69);
    const name = freshName();
    await kit.admin.set(name, 'text', 'PX', 60_000);
    const { code, errors } = await holdfast(kit, ['inspect', name, '--json']);
    expect(code).toBe(77);
    expect(JSON.parse(errors)).toEqual({ error: { code: 'LOCK_REFUSED', message: expect.stringContaining(name) } });
  });
});
