import { startPrivateRedis, useRedis } from '@holdfast/testkit';
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
  await createUser(kit.admin, 'limited', 'shares', missing);
}

/** Everything that is done to share a value, as the user; the error, if there is one. */
async function work(): Promise<unknown> {
  const name = allowedName();
  try {
    const options = { ttlMs: 60_000, fn: () => 'computed' };
    const [one, two] = [openAs(kit, 'limited', unhurried), openAs(kit, 'limited', unhurried)];
    await Promise.all([one.share(name, options), two.share(name, options)]);
    await one.share(name, options);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the rules in docs/security.md for shared values', () => {
  it('are enough: all is done, and Redis has refused nothing', async () => {
    expect(await work()).toBeUndefined();
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it.each(documentedGrants('shares'))(
    'are needed: without %s the call is refused, and no lock is left',
    async (grant) => {
      await limit(grant);
      expect(await work()).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
      expect(await kit.admin.keys('lock:*')).toEqual([]);
    },
  );
});
