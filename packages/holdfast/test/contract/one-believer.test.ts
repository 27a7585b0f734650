import { type FaultProxy, seededRandom, useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { type Hold, type LockClient, LockError } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { byUrl, openProxy, ownDefault } from '../support/redis-inputs.js';
import { turns } from '../support/room.js';

const kit = useRedis();

const leaseMs = 400;
const options = {
  watchdogTimeoutMs: leaseMs,
  claimLeaseMs: 400,
  reaskMs: 100,
  attemptTimeoutMs: 100,
  responseTimeoutMs: 300,
};

it('while partitions outlast leases, no two holds of a lock ever believe in it at the same moment', async () => {
  const seed = 7_041;
  const random = seededRandom(seed);
  const names = [freshName(), freshName()];
  const believers = new Map(names.map((name) => [name, new Set<Hold>()]));
  const faults: unknown[] = [];
  let sections = 0;
  let losses = 0;
  let ending = false;

  const isBelieved = ({ state }: Hold) => state === 'held' || state === 'suspect';
  const lookAt = (name: string) => {
    const count = [...(believers.get(name) ?? [])].filter(isBelieved).length;
    if (count > 1) faults.push(`${count} believe in ${name}`);
  };
  const section = async (client: LockClient, name: string): Promise<void> => {
    const hold = await client.getLock(name).acquire({ waitMs: 2_000, ...(random.below(3) === 0 ? { leaseMs } : {}) });
    believers.get(name)?.add(hold);
    lookAt(name);
    const until = performance.now() + (random.below(4) === 0 ? 1.25 * leaseMs : random.below(30));
    while (performance.now() < until && isBelieved(hold)) {
      await turns();
      lookAt(name);
    }
    believers.get(name)?.delete(hold);
    await hold.release();
  };
  const worker = async (client: LockClient): Promise<void> => {
    while (!ending) {
      await section(client, random.pick(names)).catch((error: unknown) => {
        if (!(error instanceof LockError)) faults.push(error);
        else if (error.code === 'LOCK_LOST') losses++;
      });
      sections++;
    }
  };
  const proxies: FaultProxy[] = [];
  const workers: Promise<void>[] = [];
  for (let index = 0; index < 6; index++) {
    const proxy = await openProxy(kit);
    proxies.push(proxy);
    workers.push(
      worker(openClient(kit, { ...options, redis: (index % 2 === 0 ? byUrl : ownDefault).open(kit, proxy) })),
    );
  }
  kit.cleanup(() => {
    ending = true;
  });
  // Who is cut off may hold nothing just then: until somebody did.
  for (let round = 0; (round < 4 || losses === 0) && faults.length === 0; round++) {
    const [one, other] = random.shuffled(proxies) as [FaultProxy, FaultProxy];
    one.blackHole();
    other.hold(random.pick(['up', 'down']));
    const startedAt = performance.now();
    const seen = sections;
    await waitUntil(() => sections > seen + 5 && performance.now() - startedAt > leaseMs, {
      what: 'the others to go on',
    });
    await one.heal();
    await other.heal();
  }
  ending = true;
  await Promise.all(workers);
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(losses).toBeGreaterThan(0);
  for (const name of names) {
    await waitUntil(async () => (await kit.admin.exists(name, `holdfast_queue:{${name}}`)) === 0, {
      what: 'it is free',
    });
  }
}, 20_000);
