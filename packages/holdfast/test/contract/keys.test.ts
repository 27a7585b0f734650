import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();
/** Nobody asks again by itself while the test runs. */
const patient = { reaskMs: 20_000, claimLeaseMs: 30_000 };

const listening = (count: number) =>
  waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === count, {
    what: 'all listen',
  });

const open = async (count: number): Promise<LockClient[]> => {
  const clients = Array.from({ length: count }, () => openClient(kit, patient));
  for (const client of clients) await client.getLock(freshName()).withLock(() => undefined);
  await listening(count);
  return clients;
};

const queueLength = async (client: LockClient, name: string) => (await client.inspect(name)).queue.length;

describe('two locks with different names have nothing to do with each other', () => {
  const pairs = () => {
    const name = freshName();
    return [
      [name, `{${name}}`],
      [`{${name}}`, name],
    ] as const;
  };

  it.each([0, 1])('a release of one grants no waiter of the other, with and without braces (%#)', async (direction) => {
    const [one, other] = pairs()[direction] ?? ['', ''];
    const [holder, waiter, passer] = (await open(3)) as [LockClient, LockClient, LockClient];
    const hold = await holder.getLock(one).acquire();
    const passing = await passer.getLock(other).acquire();
    const order: string[] = [];
    const waiting = waiter.getLock(one).withLock(() => order.push('the waiter is in'));
    await waitUntil(async () => (await queueLength(passer, one)) === 1, { what: 'it waits' });
    await passing.release();
    expect(await passer.getLock(other).isLocked()).toBe(false);
    expect(await queueLength(passer, one)).toBe(1);
    expect(hold.state).toBe('held');
    order.push('the holder leaves');
    await hold.release();
    await waiting;
    expect(order).toEqual(['the holder leaves', 'the waiter is in']);
  });

  it('a newcomer to one that is free has it, however many wait for the other', async () => {
    const name = freshName();
    const [holder, waiter] = (await open(2)) as [LockClient, LockClient];
    const hold = await holder.getLock(`{${name}}`).acquire();
    const waiting = waiter.getLock(`{${name}}`).acquire();
    await waitUntil(async () => (await queueLength(holder, `{${name}}`)) === 1, { what: 'it waits' });
    expect(await holder.getLock(name).tryWithLock({}, () => 'inside')).toEqual({ ran: true, value: 'inside' });
    expect(await queueLength(holder, `{${name}}`)).toBe(1);
    await hold.release();
    await (await waiting).release();
  });
});

describe("a waiter's place in the queue", () => {
  it('lasts as long as its client needs it, however impatient the others are', async () => {
    const name = freshName();
    const [holder, patientWaiter] = (await open(2)) as [LockClient, LockClient];
    const impatient = openClient(kit, { reaskMs: 20, claimLeaseMs: 300 });
    const hold = await holder.getLock(name).acquire();
    const waiting = patientWaiter.getLock(name).acquire();
    await waitUntil(async () => (await queueLength(holder, name)) === 1, { what: 'it waits' });
    expect(await impatient.getLock(name).tryLock(100)).toBe(false);
    for (const key of [`holdfast_queue:{${name}}`, `holdfast_fresh:{${name}}`]) {
      expect(await kit.admin.pttl(key)).toBeGreaterThan(patient.reaskMs);
    }
    await hold.release();
    await (await waiting).release();
    expect(patientWaiter.stats().handoffs.granted).toBe(1);
  });
});

describe('a name that could be a key of another lock', () => {
  it.each([
    'holdfast_queue:{x}',
    'holdfast_fresh:{x}',
    'holdfast_tagged_queue:{x}',
    'holdfast_dead:{x}:a:1',
    'holdfast_inbox:x',
    'holdfast_',
    'redisson_lock__channel:{x}',
    'redisson_lock_queue:{x}',
  ])('is refused before any I/O: %s', (name) => {
    const client = openClient(kit, { redis: 'redis://127.0.0.1:1' });
    expect(() => client.getLock(name)).toThrow(RangeError);
  });

  it.each([
    'my_holdfast_test',
    'my:holdfast_test:7',
    'holdfast:queue:{x}',
    'holdfast',
    'Redisson_x',
    'a{holdfast_queue:}',
  ])('is not taken for one: %s', (name) => {
    expect(openClient(kit).getLock(name).name).toBe(name);
  });

  it('is refused also where the key is that of a client with a keyPrefix', () => {
    expect(() => openClient(kit).getLock('app:holdfast_queue:{app:x}')).toThrow(RangeError);
  });
});
