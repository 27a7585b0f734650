/** A thousand locks that one process wants at once: its commands leave together, and each call fares as it would alone. */
import { countCommands, driveTime, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { freshName, holdsInRedis, openClient, warmUp } from '../support/clients.js';
import { loadScripts } from '../support/scripts.js';

const kit = useRedis();

const freshNames = () => Array.from({ length: 1_000 }, freshName);
const acquireAll = (client: LockClient, names: readonly string[]) =>
  Promise.all(names.map((name) => client.getLock(name).acquire()));

async function setUp() {
  await loadScripts(kit);
  const client = openClient(kit, {});
  await warmUp(kit, client);
  return client;
}

describe('a thousand locks at once', () => {
  it('cost 255 commands, and one for each 32 of the others, to take and as many to give back', async () => {
    const client = await setUp();
    const counter = await countCommands(kit.admin);
    const holds = await acquireAll(client, freshNames());
    const taken = (await counter.delta()).evalsha;
    await Promise.all(holds.map((hold) => hold.release()));
    const both = (await counter.delta()).evalsha ?? 0;
    expect({ taken, given: both - (taken ?? 0) }).toEqual({ taken: 255 + 24, given: 255 + 24 });
  });

  it('are taken by all calls but those that Redis refuses', async () => {
    const client = await setUp();
    const names = freshNames();
    // Some in each of the commands.
    const foreign = names.filter((_, index) => index % 10 === 9);
    await kit.admin.mset(Object.fromEntries(foreign.map((name) => [name, 'a text'])));
    const outcomes = await Promise.allSettled(names.map((name) => client.getLock(name).acquire()));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused.map(({ code, lockName }) => [code, lockName])).toEqual(
      foreign.map((name) => ['LOCK_REFUSED', name]),
    );
    const holds = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    await Promise.all(holds.map((hold) => hold.release()));
    expect(await kit.admin.del(...names)).toBe(foreign.length);
  });

  it('are taken without a pause, and by calls that wait for a moment only, where Redis refuses one among them', async () => {
    // Nobody moves this time on.
    driveTime(kit);
    const client = await setUp();
    const names = freshNames();
    const [refused = ''] = names.slice(-1);
    await kit.admin.set(refused, 'a text');
    const calls = names.map((name) => client.getLock(name).tryAcquire({ waitMs: 1 }));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    const holds = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []));
    expect(holds).toHaveLength(names.length - 1);
    await Promise.all(holds.map((hold) => hold.release()));
    await kit.admin.del(refused);
  });

  it('are each held once, and given back, although their connection breaks meanwhile', async () => {
    const client = await setUp();
    const names = freshNames();
    const taking = acquireAll(client, names);
    await kit.admin.call('CLIENT', 'KILL', 'TYPE', 'normal');
    const holds = await taking;
    expect(new Set(await Promise.all(names.map((name) => holdsInRedis(kit, name))))).toEqual(new Set([1]));
    await Promise.all(holds.map((hold) => hold.release()));
    expect(await kit.admin.exists(...names)).toBe(0);
  });
});
