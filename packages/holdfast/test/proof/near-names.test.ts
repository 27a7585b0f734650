/**
 * Locks whose names nearly collide, on a real server: they never exclude each other, and a release of one never serves a waiter of another.
 *
 * HOLDFAST_PROOF=long draws many more. A failure prints its seed and path: see `proofRuns` for how to repeat it.
 */
import { nearNames, proofRuns, useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Hold, LockClient } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();
const { parameters, timeoutMs } = proofRuns({ quick: 12, long: 400 });

/** Nobody asks again by itself while the test runs: whoever is served was named by a release. */
const patient = { reaskMs: 200_000, claimLeaseMs: 300_000, watchdogTimeoutMs: 600_000 };

const listening = () =>
  waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === 2, { what: 'both listen' });

const queueLength = async (client: LockClient, name: string) => (await client.inspect(name)).queue.length;

/** Holds of all of them at once, each waited for; then released in this order. Returns who was let in after each release. */
async function rounds(holder: LockClient, waiter: LockClient, names: readonly string[], order: readonly string[]) {
  const holds = new Map<string, Hold>();
  for (const name of names) holds.set(name, await holder.getLock(name).acquire({ waitMs: 5_000 }));
  const served: string[] = [];
  const waiting = names.map(async (name) => {
    const hold = await waiter.getLock(name).acquire();
    served.push(name);
    return hold;
  });
  for (const name of names) await waitUntil(async () => (await queueLength(holder, name)) === 1, { what: 'it waits' });
  const seen: string[][] = [];
  for (const name of order) {
    await holds.get(name)?.release();
    await waiting[names.indexOf(name)];
    seen.push([...served]);
    for (const other of names)
      expect([other, await queueLength(holder, other)]).toEqual([other, served.includes(other) ? 0 : 1]);
  }
  for (const hold of await Promise.all(waiting)) await hold.release();
  return seen;
}

it(
  'locks whose names nearly collide never exclude each other, and a release serves only those who wait for the same one',
  async () => {
    const [holder, waiter] = [openClient(kit, patient), openClient(kit, patient)];
    for (const client of [holder, waiter]) await client.getLock(freshName()).withLock(() => undefined);
    await listening();
    const count = nearNames('').length;
    const order = fc.shuffledSubarray(
      Array.from({ length: count }, (_, index) => index),
      { minLength: 2, maxLength: 8 },
    );
    const property = fc.asyncProperty(order, async (indexes) => {
      const all = nearNames(freshName());
      const released = indexes.map((index) => all[index] ?? '');
      const names = all.filter((name) => released.includes(name));
      const seen = await rounds(holder, waiter, names, released);
      expect(seen).toEqual(released.map((_, index) => released.slice(0, index + 1)));
    });
    await fc.assert(property, parameters);
  },
  timeoutMs,
);
