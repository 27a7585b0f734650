import { latch as core } from '@holdfast/core';
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { allowedName, openAs, unhurried } from '../support/access-round.js';
import { createUser, documentedGrants, type Grant, refusedTo } from '../support/acl-rules.js';

const kit = useRedis(startPrivateRedis);

beforeEach(async () => {
  await kit.admin.acl('LOG', 'RESET');
  await limit();
  kit.cleanup(async () => {
    await kit.admin.acl('DELUSER', 'limited');
    await kit.admin.flushall();
  });
});

async function limit(missing?: Grant): Promise<void> {
  await createUser(kit.admin, 'limited', 'locks');
  await createUser(kit.admin, 'limited', 'latches', missing);
}

/** Everything that is done with a latch, as the user; the error, if there is one. `reaskMs`: how long it takes without a message. */
async function work(times: Partial<typeof unhurried>): Promise<unknown> {
  const client = openAs(kit, 'limited', { ...unhurried, ...times });
  const name = allowedName();
  const latch = client.getCountDownLatch(name);
  try {
    await latch.trySetCount(2);
    const waiting = latch.await();
    const { channel } = core.latchKeys(name);
    const listens = async () => Number((await kit.admin.pubsub('NUMSUB', channel))[1]) === 1;
    await Promise.race([waiting, waitUntil(listens, { what: 'it listens', timeoutMs: 300 }).catch(() => undefined)]);
    await latch.countDown({ by: 'one' });
    await latch.countDown();
    await waiting;
    await latch.trySetCount(2);
    await latch.getCount();
    await latch.inspect();
    await latch.delete();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the rules in docs/security.md for latches', () => {
  it('are enough: all is done, and Redis has refused nothing', async () => {
    expect(await work({})).toBeUndefined();
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it.each(documentedGrants('latches'))(
    'are needed: without %s a call is refused, or who waits learns of it by asking again, and no latch is left',
    async (grant) => {
      await limit(grant);
      const error = await work({ reaskMs: 50, claimLeaseMs: 400 });
      if (!grant.startsWith('&')) expect(error).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
      else expect(error).toBeUndefined();
      expect(await refusedTo(kit.admin, 'limited')).not.toEqual([]);
      expect(await kit.admin.keys('lock:*')).toEqual([]);
    },
  );
});
