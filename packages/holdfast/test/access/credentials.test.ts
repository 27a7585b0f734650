import { once } from 'node:events';
import { inspect } from 'node:util';
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { everyCall, givenConnections } from '../support/given-connections.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis(startPrivateRedis);

const quick = { attemptTimeoutMs: 250, responseTimeoutMs: 300 };
const wrong = 'not-the-password';
const right = { username: 'app', password: 'right' };

beforeEach(async () => {
  await kit.admin.acl('SETUSER', 'app', 'on', 'resetpass', '>right', '~*', '&*', '+@all');
});

const ways = givenConnections(kit);

const unavailable = (reason: RegExp) => ({
  code: 'LOCK_UNAVAILABLE',
  cause: { message: expect.stringMatching(reason) },
});

describe('given as a Redis of the user whose password is changed, a client', () => {
  const open = async () => {
    const redis = new Redis({ host: kit.server.host, port: kit.server.port, ...right });
    redis.on('error', () => undefined);
    kit.cleanup(() => redis.disconnect());
    await once(redis, 'ready');
    return { redis, client: openClient(kit, { redis, ...quick }) };
  };

  it('hears messages again when that Redis is given the new one', async () => {
    const { redis, client } = await open();
    await client.connect();
    await kit.admin.acl('SETUSER', 'app', 'resetpass', '>new');
    await kit.admin.client('KILL', 'USER', 'app');
    await waitUntil(async () => /WRONGPASS/.test(String(await failureOf(client.connect()))), { what: 'a refusal' });
    redis.options.password = 'new';
    await waitUntil(async () => (await failureOf(client.connect())) === undefined, { what: 'the client is back' });
    expect(client.ready).toBe(true);
  });

  it('says why when its messages are all that it does without', async () => {
    const { redis, client } = await open();
    redis.options.password = wrong;
    await expect(client.connect({ timeoutMs: 500 })).rejects.toMatchObject({
      ...unavailable(/WRONGPASS/),
      message: expect.stringMatching(/could not connect in time: the server does not accept the user name or password/),
    });
    expect(await client.getLock(freshName()).withLock(() => 'done')).toBe('done');
  });
});

describe.each(ways)('given as %s, a client', (_, give) => {
  it.each<[string, RedisOptions, RegExp]>([
    ['with a wrong password', { ...right, password: wrong }, /WRONGPASS/],
    ['of an unknown user', { ...right, username: 'nobody' }, /WRONGPASS/],
    ['without a password where there is one', {}, /NOAUTH/],
    ['of a server that is not there', { port: 1 }, /ECONNREFUSED/],
  ])('%s is told so by every call, and by an event', async (__, options, reason) => {
    await kit.admin.acl('SETUSER', 'default', '>secret');
    kit.cleanup(() => kit.admin.acl('SETUSER', 'default', 'nopass'));
    const client = openClient(kit, { redis: give(options), ...quick });
    const errors: unknown[] = [];
    client.on('error', (error) => errors.push(error));
    expect(await failureOf(client.connect())).toMatchObject(unavailable(reason));
    const failures = await Promise.all(everyCall(client, 250).map(failureOf));
    for (const failure of failures) expect(failure).toMatchObject(unavailable(reason));
    const step = client.election('boss').observe().next();
    expect(await failureOf(step)).toMatchObject(unavailable(reason));
    await waitUntil(() => errors.length > 0, { what: 'the event' });
    expect(String(errors[0])).toMatch(reason);
    expect(inspect([failures, errors], { depth: 9 })).not.toContain(wrong);
    await client.close();
  });

  it('whose password is changed is told so, loses what it holds in time, and is back with the password', async () => {
    const client = openClient(kit, { redis: give(right), ...quick, watchdogTimeoutMs: 1_500 });
    const name = freshName();
    const works = async () => (await failureOf(client.getLock(freshName()).withLock(() => undefined))) === undefined;
    await waitUntil(works, { what: 'the client to have connected' });
    const hold = await client.getLock(name).acquire();
    const other = openClient(kit).getLock(name).acquire();
    await waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === 1, { what: 'the waiter' });
    await kit.admin.acl('SETUSER', 'app', 'resetpass', '>new');
    await kit.admin.client('KILL', 'USER', 'app');
    const theirs = await other;
    expect(hold.state).toBe('lost');
    await theirs.release();
    await expect(client.getLock(freshName()).lock()).rejects.toMatchObject(unavailable(/WRONGPASS/));
    await kit.admin.acl('SETUSER', 'app', '>right');
    await waitUntil(async () => (await failureOf(client.getLock(name).withLock(() => undefined))) === undefined, {
      what: 'the client is back',
    });
  });
});
