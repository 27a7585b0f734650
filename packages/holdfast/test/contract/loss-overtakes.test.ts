/**
 * Messages and answers come over two connections, and either may be faster. A message that says a lock was forced away asks Redis, and an
 * answer made before that message must not pass for the answer to it.
 */
import { inboxChannel } from '@holdfast/core';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { turns } from '../support/room.js';

const kit = useRedis();

/** Re-asks and renewals are far away: what is noticed is noticed because of a message. */
const patient = { reaskMs: 20_000, claimLeaseMs: 60_000, watchdogTimeoutMs: 300_000, attemptTimeoutMs: 20_000 };

const ownerOf = async (name: string) => (await kit.admin.hkeys(name)).find((field) => field.includes(':'));

/** A client whose answers can be held back while its messages come. */
async function setUp(options: Partial<LockClientOptions> = {}) {
  const answers = await openProxy(kit);
  const { host, port } = answers;
  const redis = new Redis({ host, port });
  kit.cleanup(() => redis.disconnect());
  await redis.ping();
  // What is opened from now on, the connection for messages, goes straight to the server.
  redis.options.port = kit.server.port;
  const client = openClient(kit, { ...patient, ...options, redis });
  await client.getLock(freshName()).withLock(() => undefined);
  await waitUntil(async () => Number((await kit.admin.pubsub('NUMSUB', inboxChannel(client.clientId)))[1]) === 1, {
    what: 'the inbox',
  });
  const name = freshName();
  const admin = openClient(kit);
  return {
    ...{ answers, client, name, lock: client.getLock(name) },
    forceUnlock: () => admin.getLock(name).forceUnlock(),
    say: (message: string) => kit.admin.publish(inboxChannel(client.clientId), message),
    owner: (of = name) => ownerOf(of),
    /** What was published before has been heard. */
    heard: async () => {
      for (let i = 0; i < 5; i++) await kit.admin.ping().then(() => turns(2));
    },
  };
}

describe('a lock that is forced away is noticed at once', () => {
  it('also when the answer that granted it arrives after the message', async () => {
    const { answers, lock, owner, forceUnlock, heard } = await setUp();
    answers.hold('down');
    const acquiring = lock.acquire();
    await waitUntil(async () => (await owner()) !== undefined, { what: 'the lock in Redis' });
    await forceUnlock();
    await heard();
    await answers.heal();
    const hold = await acquiring;
    await waitUntil(() => hold.state === 'lost', { what: 'the loss' });
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
  });

  it('also when the answer to an earlier renewal arrives after the message', async () => {
    const { answers, client, lock, owner, say, forceUnlock, heard } = await setUp();
    const before = client.getLock(freshName());
    await before.withLock(async () => {
      await say(`1 lost ${await owner(before.name)} force-unlocked`);
      await waitUntil(() => client.stats().renewals.renewed + client.stats().renewals.held === 1, {
        what: 'the script of renewals on the server',
      });
    });
    const hold = await lock.acquire();
    answers.hold('down');
    await say(`1 lost ${await owner()} force-unlocked`);
    await waitUntil(() => answers.heldBytes > 0, { what: 'the answer to the first question' });
    await forceUnlock();
    await heard();
    await answers.heal();
    await waitUntil(() => hold.state === 'lost', { what: 'the loss' });
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
  });
});

it('who leaves a nested hold while the client closes is told that it was closed', async () => {
  const { answers, client, lock } = await setUp();
  await client.run(async () => {
    await lock.lock();
    await lock.lock();
    answers.hold('down');
    const leaving = failureOf(lock.unlock());
    const closing = client.close();
    expect(await leaving).toMatchObject({ code: 'LOCK_LOST', reason: 'closed' });
    await answers.heal();
    await closing;
  });
});
