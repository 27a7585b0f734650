/** What is special about the fair lock; what it has in common with every lock is in `exclusive.ts`. */
import { useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type LockClient, LockLostError } from 'holdfast';
import { createTestClient, createTestServer, type TestLockClient } from 'holdfast/testing';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { spawnLockWorker } from '../support/workers.js';
import { waitersOf } from './world.js';

const kit = useRedis();
/** Nobody asks again by itself while the test runs. */
const patient = { reaskMs: 200_000, claimLeaseMs: 300_000, watchdogTimeoutMs: 600_000 };

const open: LockClient[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

/** Processes on one server in memory, whose time the test moves. */
function processes(count: number) {
  const server = createTestServer();
  const clients = Array.from({ length: count }, () => createTestClient({ server }));
  open.push(...clients);
  const [first, second] = clients as [TestLockClient, TestLockClient];
  return { server, clients, first, second };
}

/** A client whose events about calls that wait for themselves are noted. */
function reporting() {
  const { first: client } = processes(1);
  const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
  kit.cleanup(() => warn.mockRestore());
  const [circles, suspicions]: [string[][], string[]] = [[], []];
  client.on('deadlock', ({ waits }) => circles.push(waits.map(({ name }) => name)));
  client.on('self-wait', ({ name }) => suspicions.push(name));
  return { client, circles, suspicions };
}

describe('a call made while the lock() of its run still waits', () => {
  it('comes in with it, as with every lock', async () => {
    const { first, second } = processes(2);
    const held = await second.getFairLock('pay').acquire();
    const lock = first.getFairLock('pay');
    const inside = first.run(async () => {
      const [, entered] = await Promise.all([lock.lock(), lock.withLock(() => lock.getHoldCount())]);
      await lock.unlock();
      return entered;
    });
    await held.release();
    expect(await inside).toBe(2);
    expect(await second.getFairLock('pay').isLocked()).toBe(false);
  });

  it('goes on in its place where that one gives up', async () => {
    const { first, second } = processes(2);
    const held = await second.getFairLock('pay').acquire();
    const lock = first.getFairLock('pay');
    const outcome = first.run(async () => {
      const end = new AbortController();
      const given = failureOf(lock.lock({ signal: end.signal }));
      const section = lock.withLock(() => 'in');
      end.abort(new Error('enough'));
      return [String(await given), await section];
    });
    await waitUntil(async () => (await second.inspect('pay')).queue.length === 1, { what: 'one to wait' });
    await held.release();
    expect(await outcome).toEqual(['Error: enough', 'in']);
  });
});

describe('the order of a fair lock', () => {
  it('is that in which calls arrived in Redis, whichever process and task they are of', async () => {
    const clients = [openClient(kit, patient), openClient(kit, patient), openClient(kit, patient)];
    const name = freshName();
    const [first] = clients as [LockClient, ...LockClient[]];
    const hold = await first.getFairLock(name).acquire();
    const served: (string | undefined)[] = [];
    const call = (client: LockClient) =>
      client.getFairLock(name).withLock(async () => served.push((await first.inspect(name)).owner?.id));
    // Several of one process behind each other, and between those of others: that a process favours its own shows.
    const calls = [0, 1, 0, 0, 2, 1, 1, 0, 2, 2, 0, 1, 2, 0, 0].map((index) => call(clients[index] as LockClient));
    const line = async () => (await first.inspect(name)).queue.map(({ id }) => id);
    await waitUntil(async () => (await line()).length === calls.length, { what: 'all wait in Redis' });
    const arrived = await line();
    await hold.release();
    await Promise.all(calls);
    expect(served).toEqual(arrived);
  });

  it('holds for those that come while others are served, and who gives up leaves no gap', async () => {
    const { server, clients } = processes(3);
    const served: number[] = [];
    const came: number[] = [];
    let number = 0;
    const calls: Promise<unknown>[] = [];
    let givingUp = new AbortController();
    const come = () => {
      givingUp.abort();
      givingUp = new AbortController();
      const mine = number++;
      const client = clients[mine % 3] as LockClient;
      const lock = client.getFairLock('x');
      const givesUp = mine % 7 === 3;
      if (!givesUp) came.push(mine);
      const section = async () => {
        served.push(mine);
        for (let more = 0; more < 2 && number < 100; more++) client.exit(come);
        await Promise.resolve();
      };
      calls.push(givesUp ? failureOf(lock.lock({ signal: givingUp.signal })) : lock.withLock(section));
    };
    const hold = await (clients[0] as LockClient).getFairLock('x').acquire();
    for (let times = 0; times < 10; times++) {
      come();
      await server.advance(0);
    }
    await hold.release();
    for (let steps = 0; steps < 100 && served.length < came.length; steps++) await server.advance(1);
    expect(await Promise.all(calls)).toHaveLength(100);
    expect(served).toEqual(came);
  });

  it('begins with the first ask, also before any message can reach the process', async () => {
    const [client, holder] = [openClient(kit), openClient(kit)];
    const name = freshName();
    const hold = await holder.getFairLock(name).acquire();
    const monitor = await kit.admin.monitor();
    kit.cleanup(() => monitor.disconnect());
    const asked = new Promise<string[]>((resolve) => {
      monitor.on('monitor', (_time: string, command: string[]) => {
        if (command.some((argument) => argument.startsWith(`${client.clientId}:`))) resolve(command);
      });
    });
    const call = client.getFairLock(name).acquire();
    const [, , keys, ...rest] = await asked;
    const [, , freshMs] = rest.slice(Number(keys));
    // For how long it may be granted the lock: without a place that is 0.
    expect(Number(freshMs)).toBeGreaterThan(0);
    await hold.release();
    await (await call).release();
  });

  it('passes over a process that was killed, at once', async () => {
    const [holder, waiter] = [openClient(kit, patient), openClient(kit, patient)];
    const name = freshName();
    const worker = await spawnLockWorker(kit, patient);
    // Both are subscribed from here on: the subscriptions are counted below.
    await Promise.all([holder.connect(), waiter.connect()]);
    const hold = await holder.getFairLock(name).acquire();
    const waiting = (count: number) =>
      waitUntil(async () => (await holder.inspect(name)).queue.length === count, { what: `${count} wait` });
    void worker.call('waitFairly', name, 3).catch(() => undefined);
    await waiting(3);
    const call = waiter.getFairLock(name).acquire();
    await waiting(4);
    worker.kill('SIGKILL');
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === 2, {
      what: 'the server knows that it has gone',
    });
    await hold.release();
    // Nobody asks by itself for minutes.
    await (await call).release();
  });
});

describe('re-entry into a fair lock', () => {
  it('is for calls inside the hold, however many wait outside', async () => {
    const { server, first: here, second: there } = processes(2);
    const lock = here.getFairLock('x');
    const order: string[] = [];
    const section = lock.withLock(async () => {
      const outside = here.exit(() => lock.withLock(() => order.push('outside')));
      const elsewhere = there.getFairLock('x').withLock(() => order.push('elsewhere'));
      await server.advance(10);
      const branch = (name: string) =>
        lock.withLock(async () => {
          order.push(name);
          await Promise.resolve();
          expect(await lock.getHoldCount()).toBe(2);
        });
      await Promise.all([branch('one'), branch('two'), branch('three')]);
      return { outside, elsewhere };
    });
    const { outside, elsewhere } = await section;
    await Promise.all([outside, elsewhere]);
    expect(order).toEqual(['one', 'two', 'three', 'outside', 'elsewhere']);
  });

  it('is for the calls of one explicit owner, those that come while the first still waits too', async () => {
    const { server, first: client } = processes(1);
    const hold = await client.getFairLock('x').acquire();
    const mine = client.getFairLock('x', { owner: 'me' });
    const calls = [mine.lock(), mine.lock()];
    await server.advance(10);
    expect((await client.inspect('x')).queue).toHaveLength(1);
    await hold.release();
    await Promise.all(calls);
    expect(await mine.getHoldCount()).toBe(2);
    await mine.unlock();
    await mine.unlock();
    expect(await mine.isLocked()).toBe(false);
  });

  it('is not for calls inside a hold that was lost: they never acquire afresh', async () => {
    const { first: client } = processes(1);
    const lock = client.getFairLock('x');
    const section = lock.withLock(async () => {
      await client.lose('x', 'deleted');
      expect(await failureOf(lock.acquire())).toBeInstanceOf(LockLostError);
    });
    expect(await failureOf(section)).toBeInstanceOf(LockLostError);
    expect(await lock.tryLock()).toBe(true);
  });
});

describe('a call of a fair lock that waits for the code around it', () => {
  it('is reported as a wait for itself, and an honest wait is not', async () => {
    const { server, first: client } = processes(1);
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    kit.cleanup(() => warn.mockRestore());
    const suspicions: unknown[] = [];
    client.on('self-wait', ({ name }) => suspicions.push(name));
    await client.getFairLock('x').lock();
    const giveUp = new AbortController();
    const waits = failureOf(client.getFairLock('x').lock({ signal: giveUp.signal }));
    await client.getFairLock('y').lock();
    const bounded = client.getFairLock('y').tryLock(5_000);
    await server.advance(5_000);
    expect(await bounded).toBe(false);
    expect(suspicions).toEqual(['x']);
    giveUp.abort();
    await waits;
  });

  it('closes a circle by itself when that code holds another lock of the name, and is told of at once', async () => {
    const { client, circles } = reporting();
    const giveUp = new AbortController();
    const sections = [
      client.getLock('a').withLock(() => client.getFairLock('a').lock({ signal: giveUp.signal })),
      client.getFairLock('b').withLock(() => client.getFencedLock('b').lock({ signal: giveUp.signal })),
      client
        .getReadWriteLock('c')
        .readLock()
        .withLock(() => client.getLock('c').lock({ signal: giveUp.signal })),
    ];
    const ended = Promise.all(sections.map(failureOf));
    await client.advance(0);
    expect(circles).toEqual([['a'], ['b'], ['c']]);
    giveUp.abort();
    await ended;
  });

  it('is suspected, and no more, when nothing says that the hold of the other lock outlasts it', async () => {
    const { client, circles, suspicions } = reporting();
    const giveUp = new AbortController();
    await client.getLock('a').lock();
    const waits = failureOf(client.getFairLock('a').lock({ signal: giveUp.signal }));
    await client.advance(5_000);
    expect([circles, suspicions]).toEqual([[], ['a']]);
    giveUp.abort();
    await waits;
  });
});

describe('a lock that Redis has forgotten while a client holds it', () => {
  /** Nothing is renewed by itself while the test runs, and calls that wait soon ask again. */
  const forgetful = { reaskMs: 300, claimLeaseMs: 10_000, watchdogTimeoutMs: 600_000 };
  const fair = (client: LockClient, name: string) => client.getFairLock(name);
  const plain = (client: LockClient, name: string) => client.getLock(name);
  const write = (client: LockClient, name: string) => client.getReadWriteLock(name).writeLock();
  const read = (client: LockClient, name: string) => client.getReadWriteLock(name).readLock();

  /** A hold that Redis knows nothing of any more, and a call of the same client that waited for it. */
  async function forgotten<T>(first: typeof fair, next: (client: LockClient, name: string) => Promise<T>) {
    const client = openClient(kit, forgetful);
    const name = freshName();
    const hold = await first(client, name).acquire();
    const call = next(client, name);
    await waitUntil(async () => (await waitersOf(kit.admin, name, 'queue')) === 1, { what: 'the next call waits' });
    await kit.admin.del(name);
    return { hold, call };
  }

  it.each([
    ['fair lock', 'fair lock', fair, fair],
    ['lock', 'fair lock', plain, fair],
    ['fair lock', 'lock', fair, plain],
    ['write lock', 'read lock', write, read],
    ['read lock', 'write lock', read, write],
  ])(
    'is lost to its hold as soon as the next call of that client has it (%s, then %s)',
    async (_1, _2, first, second) => {
      const { hold, call } = await forgotten(first, (client, name) => second(client, name).acquire());
      const next = await call;
      await waitUntil(() => hold.state === 'lost', { what: 'the first hold is lost' });
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      await next.release();
    },
  );

  it('is re-entered and counted inside the next hold, also before the loss of the first is known', async () => {
    const { hold, call } = await forgotten(fair, (client, name) => {
      const lock = client.getFairLock(name);
      return lock.withLock(async () => {
        const counted = lock.getHoldCount();
        const nested = await lock.tryWithLock({ waitMs: 5_000 }, () => lock.getHoldCount());
        return [await counted, nested];
      });
    });
    expect(await call).toEqual([1, { ran: true, value: 2 }]);
    expect(hold.state).toBe('lost');
  });

  it('is given back by unlock of its next owner, also before the loss of the first is known', async () => {
    const { call } = await forgotten(fair, async (client, name) => {
      const lock = client.getFairLock(name, { owner: 'next' });
      await lock.lock();
      await lock.unlock();
      return lock.isLocked();
    });
    expect(await call).toBe(false);
  });
});

it('a fair lock and a lock on one name exclude each other, and are strangers in one process', async () => {
  const { first: client } = processes(1);
  await client.getFairLock('x').withLock(async () => {
    expect(await client.getLock('x').tryLock()).toBe(false);
    expect(await client.getFairLock('x').tryWithLock({}, () => 'in')).toEqual({ ran: true, value: 'in' });
  });
  await client.getMultiLock([client.getFairLock('x'), 'y']).withLock({ leaseMs: 1_000 }, async () => {
    expect(await client.getLock('x').tryLock()).toBe(false);
    expect(await client.getFairLock('x').getHoldCount()).toBe(1);
  });
  expect(await client.getLock('x').tryLock()).toBe(true);
});
