/** The rows of docs/recipes/node-redis.md that show both settings: the server sees the two connections alike. */
import { readFileSync } from 'node:fs';
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import { createClient, type RedisClientOptions } from 'redis';
import { runCode } from '../moving/guide.js';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';

const kit = useRedis(startPrivateRedis);

const page = readFileSync(new URL('../../../../docs/recipes/node-redis.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `(\{.*\})` \| `(\{.*\})` \|$/gm)].map(
  ([, left = '', right = '']) => [left, right] as const,
);

/** The options that a cell shows, of the test's server where it shows the address of an example. */
function optionsOf(cell: string): Promise<unknown> {
  const { host, port } = kit.server;
  return runCode(cell.replace("'localhost'", JSON.stringify(host)).replace('6379', String(port)), {});
}

/** What a server knows of a connection, whoever opened it. */
const seen = (info: string) =>
  Object.fromEntries(
    ['db', 'user', 'name', 'resp'].map((field) => [field, new RegExp(`${field}=(\\S*)`).exec(info)?.[1]]),
  );

describe('settings of node-redis and their counterparts of ioredis', () => {
  beforeEach(async () => {
    await kit.admin.acl('SETUSER', 'locks', 'reset', 'on', '>change-me', '~*', '&*', '+@all');
    kit.cleanup(async () => void (await kit.admin.acl('DELUSER', 'locks')));
  });

  it('are in the document', () => {
    expect(rows.length).toBeGreaterThan(3);
  });

  it.each(rows)('%s is %s to the server', async (left, right) => {
    const { host, port } = kit.server;
    const theirs = createClient({ socket: { host, port }, ...((await optionsOf(left)) as RedisClientOptions) });
    kit.cleanup(() => theirs.destroy());
    await theirs.connect();
    const options = { host, port, ...((await optionsOf(right)) as RedisOptions) };
    const ours = new Redis(options);
    kit.cleanup(() => ours.disconnect());
    expect(seen(await ours.client('INFO'))).toEqual(seen(await theirs.sendCommand<string>(['CLIENT', 'INFO'])));
    await openClient(kit, { redis: options })
      .getLock(freshName())
      .withLock(() => undefined);
  });
});

it('a write of node-redis that still waits for a connection when the lock is lost is not sent, with the signal of the hold', async () => {
  const [proxy, name, written] = [await openProxy(kit), freshName(), freshName()];
  const data = createClient({ url: proxy.url, socket: { reconnectStrategy: 20 } });
  kit.cleanup(() => data.destroy());
  data.on('error', () => undefined);
  await data.connect();
  const hold = await openClient(kit).getLock(name).acquire();
  proxy.refuse();
  proxy.reset();
  await waitUntil(() => !data.isReady, { what: 'the connection to be gone' });
  const late = failureOf(data.withAbortSignal(hold.signal).set(written, 'late'));
  const kept = data.incr(written);
  await openClient(kit).getLock(name).forceUnlock();
  expect(String(await late)).toMatch('The command was aborted');
  await proxy.heal();
  expect(await kept).toBe(1);
  await kit.admin.del(written);
});
