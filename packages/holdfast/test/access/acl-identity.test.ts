import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { allowedName, openAs, unhurried } from '../support/access-round.js';
import { createUser, documentedGrants, type Grant, refusedTo } from '../support/acl-rules.js';

const kit = useRedis(startPrivateRedis);

beforeEach(async () => {
  await kit.admin.acl('LOG', 'RESET');
  kit.cleanup(() => kit.admin.acl('DELUSER', 'limited'));
});

/** What a client of this user and an operator see of the owner of a lock that the client has. */
async function seen(missing?: Grant) {
  await createUser(kit.admin, 'limited', 'locks');
  await createUser(kit.admin, 'limited', 'named', missing);
  const client = openAs(kit, 'limited', { ...unhurried, clientName: 'it' });
  let told = 0;
  client.on('error', () => void told++);
  const name = allowedName();
  const hold = await client.getLock(name).acquire();
  const key = `holdfast_client:{${client.clientId}}`;
  await waitUntil(async () => told > 0 || (await kit.admin.exists(key)) === 1, {
    what: 'it is registered, or refused',
  });
  const [own, others] = [await client.inspect(name), await openAs(kit, 'default').inspect(name)];
  await hold.release();
  await client.close();
  expect(await kit.admin.exists(key)).toBe(0);
  return { own: own.owner?.client?.name, others: others.owner?.client?.name, told };
}

describe('the rules in docs/security.md for clients that say who they are', () => {
  it('are enough: the client is named, and Redis has refused nothing', async () => {
    expect(await seen()).toEqual({ own: 'it', others: 'it', told: 0 });
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  const without = new Map<Grant, object>([
    ['~holdfast_client:*', { own: undefined, others: undefined, told: 1 }],
    ['+get', { own: undefined, others: 'it', told: 0 }],
    ['+client|setname', { own: 'it', others: 'it', told: 0 }],
  ]);

  it.each(documentedGrants('named'))('are needed: without %s locks work all the same', async (missing) => {
    expect(await seen(missing)).toEqual(without.get(missing));
    expect(await refusedTo(kit.admin, 'limited')).not.toEqual([]);
  });
});
