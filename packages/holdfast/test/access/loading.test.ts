/** A server that loads its data takes connections and nothing else: what is said of it, and how soon it is used. */
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { holdfast } from '../cli/terminal.js';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();

const KEYS = 1_000;
/** For each of them, in millionths of a second: more than any test waits. It looks for commands behind each. */
const slowly = ['--key-load-delay', '100000', '--loading-process-events-interval-bytes', '1024'];

/** A server, and how to have it restart with data that it loads until it is told to be quick. */
async function setUp() {
  const server = await startPrivateRedis({ args: [...slowly, '--rdbcompression', 'no'] });
  kit.cleanup(() => server.stop());
  const admin = await server.admin();
  const value = 'x'.repeat(1_024);
  await admin.mset(Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`data:${index}`, value])));
  await admin.save();
  // Otherwise ioredis sets a timer for when the server says that it will be ready, which outlasts the test.
  admin.disconnect();
  const loadQuickly = async () => {
    const redis = new Redis(server.url, { enableReadyCheck: false });
    await redis.config('SET', 'key-load-delay', '0');
    redis.disconnect();
  };
  return { server, loadQuickly };
}

it('calls and the event say so, also where the connection had broken before; it is used soon after', async () => {
  const { server, loadQuickly } = await setUp();
  const client = openClient(kit, { redis: server.url, attemptTimeoutMs: 300 });
  const told: string[] = [];
  client.on('error', ({ message }) => void told.push(message));
  const lock = client.getLock(freshName());
  await lock.withLock(() => undefined);
  await server.restart();
  const says = /still loading its data/;
  await waitUntil(() => told.some((message) => says.test(message)), { what: 'the event' });
  expect(await failureOf(lock.tryLock())).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringMatching(says),
  });
  const newcomer = openClient(kit, { redis: server.url });
  expect(await failureOf(newcomer.connect({ timeoutMs: 1_500 }))).toMatchObject({
    message: expect.stringMatching(says),
  });
  await loadQuickly();
  // ioredis keeps a timer until then.
  await Promise.all([client, newcomer].map((each) => each.connect({ timeoutMs: 30_000 })));
  await lock.withLock(() => undefined);
}, 60_000);

it('the command line waits for it no longer than it was told to', async () => {
  const { server } = await setUp();
  await server.restart();
  const { code, output } = await holdfast(kit, ['doctor', '--redis', server.url, '--timeout', '1s']);
  expect({ code, output }).toEqual({ code: 69, output: expect.stringMatching(/reachable .*still loading its data/) });
}, 60_000);
