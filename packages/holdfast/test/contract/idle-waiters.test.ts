import { countCommands, type DrivenTime, driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, LockClientOptions, RLock } from 'holdfast';
import { freshName, holdsInRedis, openClient, warmUp } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { byUrl, openProxy } from '../support/redis-inputs.js';
import { isCommand, loadScripts } from '../support/scripts.js';

const kit = useRedis();

const R = 1_500;
/** Redis' own clock is not driven: leases do not end while a test runs. */
const options: Partial<LockClientOptions> = { reaskMs: R, watchdogTimeoutMs: 600_000 };

async function setUp(more: Partial<LockClientOptions> = {}) {
  const time = driveTime(kit);
  await loadScripts(kit);
  const [holder, client] = [openClient(kit, options), openClient(kit, { ...options, ...more })];
  for (const each of [holder, client]) await warmUp(kit, each);
  return { time, holder, client };
}

const freshNames = (count: number) => Array.from({ length: count }, freshName);
const acquireAll = (client: LockClient, names: readonly string[]) =>
  Promise.all(names.map((name) => client.getLock(name).acquire()));

/**
 * Until the client has read every answer that it is owed, and those to what it has sent because of them: a question is answered behind them.
 * Questions are {@link QUESTIONS} scripts.
 */
async function settled(client: LockClient): Promise<void> {
  for (let asked = 0; asked < QUESTIONS; asked++) await client.inspect(freshName());
}
const QUESTIONS = 2;

/** Calls that have found their locks taken, and wait. */
async function wait(client: LockClient, locks: readonly RLock[]) {
  const calls = locks.map((lock) => lock.acquire());
  for (const call of calls) call.catch(() => undefined);
  await settled(client);
  return { calls };
}

const waitFor = (client: LockClient, names: readonly string[]) =>
  wait(
    client,
    names.map((name) => client.getLock(name)),
  );

/** How many scripts were called while so much time passed, in so many steps: what is asked within one may be answered in the next. */
async function scriptsIn(ms: number, time: DrivenTime, client: LockClient, steps = 1): Promise<number> {
  const counter = await countCommands(kit.admin);
  for (let step = 0; step < steps; step++) {
    await time.advance(ms / steps);
    await settled(client);
  }
  const { evalsha = 0, eval: whole = 0 } = await counter.delta();
  return evalsha + whole - steps * QUESTIONS;
}

async function scriptsInPeriods(count: number, time: DrivenTime, client: LockClient, steps = 1): Promise<number[]> {
  const counts: number[] = [];
  for (let period = 0; period < count; period++) counts.push(await scriptsIn(R, time, client, steps));
  return counts;
}

describe('a process that waits', () => {
  it('for one name costs one command in each re-ask period, also when 200 of its tasks do', async () => {
    const { time, holder, client } = await setUp();
    const name = freshName();
    await holder.getLock(name).acquire();
    await waitFor(
      client,
      Array.from({ length: 200 }, () => name),
    );
    expect(client.stats().waiting).toBe(200);
    expect(await scriptsInPeriods(4, time, client)).toEqual([1, 1, 1, 1]);
  });

  it('for a thousand names costs 32 commands in each re-ask period', async () => {
    const { time, holder, client } = await setUp();
    const names = freshNames(1_000);
    await acquireAll(holder, names);
    await waitFor(client, names);
    expect(await scriptsInPeriods(3, time, client)).toEqual([32, 32, 32]);
    expect(client.stats().waiting).toBe(1_000);
  }, 120_000);

  it('for names that it came to want one after the other soon asks for them together', async () => {
    const { time, holder, client } = await setUp();
    const names = freshNames(300);
    await acquireAll(holder, names);
    for (let lot = 0; lot < 10; lot++) {
      if (lot > 0) await time.advance(R / 10);
      await waitFor(client, names.slice(30 * lot, 30 * (lot + 1)));
    }
    // Those of two lots go together: 60 in 2 commands, five times.
    expect(await scriptsInPeriods(3, time, client, 10)).toEqual([10, 10, 10]);
  });

  it.each<[string, (client: LockClient, names: readonly string[]) => RLock[]]>([
    ['fenced locks', (client, names) => names.map((name) => client.getFencedLock(name))],
    ['fair locks', (client, names) => names.map((name) => client.getFairLock(name))],
    ['one fair lock, where each call stands in line', (client, names) => names.map(() => client.getFairLock('fair'))],
  ])('for %s asks in as few', async (_, locksOf) => {
    const { time, holder, client } = await setUp();
    const names = freshNames(40);
    for (const lock of new Set(locksOf(holder, names))) await lock.tryAcquire();
    await wait(client, locksOf(client, names));
    // The first time in full, where the server does not know the script.
    await time.advance(R);
    await settled(client);
    expect(await scriptsIn(R, time, client)).toBe(2);
  });

  it('asks one by one where replicas have to confirm what it gets', async () => {
    const { time, holder } = await setUp();
    const names = freshNames(3);
    await acquireAll(holder, names);
    const client = openClient(kit, { ...options, replicas: { min: 1, timeoutMs: 100 } });
    await client.connect();
    await waitFor(client, names);
    expect(await scriptsIn(R, time, client)).toBe(3);
  });
});

describe('what is asked for together', () => {
  it('is had by the calls whose locks are free, of which no message told, and waited for by the others', async () => {
    const { time, holder, client } = await setUp();
    const names = freshNames(40);
    await acquireAll(holder, names);
    const { calls } = await waitFor(client, names);
    const gone = [names[7], names[35]] as string[];
    await kit.admin.del(...gone);
    expect(await scriptsIn(R, time, client)).toBe(2);
    for (const hold of await Promise.all([calls[7], calls[35]])) {
      expect(hold?.state).toBe('held');
      await hold?.release();
    }
    expect(client.stats().waiting).toBe(38);
    expect(await scriptsIn(R, time, client)).toBe(2);
  });

  it('keeps the places in its queues, behind which others wait', async () => {
    const { time, holder, client } = await setUp();
    const other = openClient(kit, options);
    await warmUp(kit, other);
    const names = freshNames(5);
    const holds = await acquireAll(holder, names);
    const { calls } = await waitFor(client, names);
    const { calls: behind } = await waitFor(other, names);
    // As they are to a waiter that was passed over.
    for (const name of names) await kit.admin.zpopmin(`holdfast_queue:{${name}}`);
    await time.advance(R);
    for (const each of [client, other]) await settled(each);
    await Promise.all(holds.map((hold) => hold.release()));
    for (const hold of await Promise.all(calls)) await hold.release();
    for (const hold of await Promise.all(behind)) await hold.release();
  });

  it('of which Redis refuses one is asked for once more, each alone: only the call for that one is refused', async () => {
    const { time, holder, client } = await setUp();
    const names = freshNames(20);
    const holds = await acquireAll(holder, names);
    const { calls } = await waitFor(client, names);
    await kit.admin.set(names[3] as string, 'text', 'PX', 600_000);
    // And one that withdraws what the refused call may have left.
    expect(await scriptsIn(R, time, client)).toBe(1 + 20 + 1);
    expect(await failureOf(calls[3] as Promise<unknown>)).toMatchObject({ redisCode: 'NOTALOCK', lockName: names[3] });
    expect(client.stats().waiting).toBe(19);
    expect(await scriptsInPeriods(2, time, client)).toEqual([1, 1]);
    const others = holds.filter((_, index) => index !== 3);
    await Promise.all(others.map((hold) => hold.release()));
    for (const hold of await Promise.all(calls.filter((_, index) => index !== 3))) await hold.release();
  });

  it('by a command whose reply is lost is had all the same, and given back for good', async () => {
    await loadScripts(kit);
    const proxy = await openProxy(kit);
    const brief = { reaskMs: 100, claimLeaseMs: 400 };
    const [holder, client] = [openClient(kit), openClient(kit, { ...brief, redis: byUrl.open(kit, proxy) })];
    for (const each of [holder, client]) await warmUp(kit, each);
    const names = freshNames(5);
    const holds = await acquireAll(holder, names);
    const { calls } = await waitFor(client, names);
    proxy.loseNextReply({ after: isCommand('reasks') });
    await waitUntil(() => proxy.repliesLost === 1, { what: 'a reply is lost' });
    await Promise.all(holds.map((hold) => hold.release()));
    for (const hold of await Promise.all(calls)) await hold.release();
    for (const name of names) expect(await holdsInRedis(kit, name)).toBe(0);
  });
});
