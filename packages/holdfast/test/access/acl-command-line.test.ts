import { startPrivateRedis, useRedis } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Finding, holdfast } from '../cli/terminal.js';
import { allowedName, openAs, unhurried } from '../support/access-round.js';
import { createUser, documentedGrants, type Grant, password, refusedTo } from '../support/acl-rules.js';

const kit = useRedis(startPrivateRedis);
const user = 'limited';

beforeEach(async () => {
  await kit.admin.acl('LOG', 'RESET');
  kit.cleanup(async () => {
    await kit.admin.acl('DELUSER', user);
    // The counter of a semaphore stays.
    await kit.admin.flushall();
  });
});

describe('the rules for the operator in docs/security.md', () => {
  it('are enough for the command line to look, at semaphores and latches too: Redis has refused nothing', async () => {
    for (const role of ['operator', 'fair-beside-java', 'semaphores', 'sizing', 'latches'])
      await createUser(kit.admin, user, role);
    const client = openAs(kit, 'default', unhurried);
    const [lock, pool, latch] = [allowedName(), allowedName(), allowedName()];
    const hold = await client.getLock(lock).acquire();
    const permit = await client.getSemaphore(pool, { permits: 2 }).acquire();
    await client.getCountDownLatch(latch).trySetCount(2);
    const { host, port } = kit.server;
    const env = { REDIS_URL: `redis://${user}:${password}@${host}:${port}/?disableClientInfo=true` };
    const call = (...args: string[]) => holdfast(kit, [...args, '--prefix', 'lock:', '--json'], { env });
    const named = (name: string) => expect.objectContaining({ name: name.slice('lock:'.length) });
    expect(await call('ls')).toMatchObject({ code: 0, json: [named(lock)] });
    expect(await call('ls', '--kind', 'semaphore')).toMatchObject({ code: 0, json: [named(pool)] });
    expect(await call('ls', '--kind', 'latch')).toMatchObject({ code: 0, json: [named(latch)] });
    for (const name of [lock, pool, latch])
      expect(await call('inspect', name.slice('lock:'.length))).toMatchObject({ code: 0, json: [named(name)] });
    expect(await call('graph')).toMatchObject({ code: 0 });
    expect(await call('unlock', lock.slice('lock:'.length), '--yes')).toMatchObject({ code: 0 });
    expect(await refusedTo(kit.admin, user)).toEqual([]);
    await permit.release();
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await client.close();
  });

  it.each([
    ['read-write locks', ['read-write']],
    ['semaphores', ['semaphores', 'sizing']],
    ['latches', ['latches']],
    ['elections', ['elections']],
  ])(
    'are what the doctor names to a user of locks who is to have %s besides, and with them it names nothing',
    async (check, titles) => {
      await createUser(kit.admin, user, 'locks');
      const { host, port } = kit.server;
      const seen = async () => {
        const url = `redis://${user}:${password}@${host}:${port}`;
        const { json } = await holdfast(kit, ['doctor', '--redis', url, '--prefix', 'lock:', '--json']);
        const [{ fit, findings }] = json as [{ fit: boolean; findings: Finding[] }];
        return { fit, finding: findings.find((each) => each.check === check) };
      };
      const before = await seen();
      expect(before).toMatchObject({
        fit: true,
        finding: { status: 'warn', detail: expect.stringMatching(/^only for who uses them; missing: /) },
      });
      expect(before.finding?.missing?.toSorted()).toEqual(
        titles.flatMap((title) => documentedGrants(title)).toSorted(),
      );
      for (const title of titles) await createUser(kit.admin, user, title);
      expect(await seen()).toMatchObject({ fit: true, finding: { status: 'ok' } });
    },
  );

  it.each<[Grant, RegExp]>([
    ['+hkeys', /^permits are taken and given back, and none can be set where there are none \(.*\); missing: \+hkeys$/],
    [
      '+zcount',
      /^where Java has permits of RPermitExpirableSemaphore, they cannot be counted \(.*\); missing: \+zcount$/,
    ],
    ['+incrby', /^only for who uses them; missing: \+incrby$/],
  ])(
    'are what the doctor names, with what does not work, to a user of semaphores without %s',
    async (grant, detail) => {
      for (const title of ['locks', 'semaphores', 'sizing']) await createUser(kit.admin, user, title, grant);
      const { host, port } = kit.server;
      const url = `redis://${user}:${password}@${host}:${port}`;
      const { json } = await holdfast(kit, ['doctor', '--redis', url, '--prefix', 'lock:', '--json']);
      const [{ findings }] = json as [{ findings: Finding[] }];
      expect(findings.find(({ check }) => check === 'semaphores')).toEqual({
        ...{ check: 'semaphores', status: 'warn', missing: [grant] },
        detail: expect.stringMatching(detail),
      });
    },
  );

  it('do not make a client ready: it may not listen', async () => {
    await createUser(kit.admin, user, 'operator');
    const client = openAs(kit, user);
    client.on('error', () => undefined);
    await expect(client.connect({ timeoutMs: 1_000 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(client.ready).toBe(false);
    await client.close();
  });
});
