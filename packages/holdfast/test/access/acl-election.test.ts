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
  await createUser(kit.admin, 'limited', 'elections', missing);
}

/** Everything that is done with an election, as the user; the error, if there is one. */
async function work(times: Partial<typeof unhurried>): Promise<unknown> {
  const election = openAs(kit, 'limited', { ...unhurried, ...times }).election(allowedName());
  try {
    const steps = election.observe();
    await steps.next();
    const leadership = await election.campaign({ id: 'node-1' });
    const { value } = await steps.next();
    if (value?.token !== leadership.token) throw new Error(`told of ${JSON.stringify(value)}`);
    const next = election.campaign(({ guard }) => guard === undefined);
    await leadership.resign();
    await next;
    await steps.return?.();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the rules in docs/security.md for elections', () => {
  it('are enough: all is done, and Redis has refused nothing', async () => {
    expect(await work({})).toBeUndefined();
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it.each(documentedGrants('elections'))(
    'are needed: without %s a call is refused, or observers learn of it by asking again, and no lock is left',
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
