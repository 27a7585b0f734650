import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type LockClient, type LockClientEvents, type LockClientOptions, type LockDiagnostics } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { stall } from '../support/stall.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { Gate, turns } from '../support/room.js';

const kit = useRedis();
const LEASE_MS = 200;
/** What a tracer keeps. */
const requests = new AsyncLocalStorage<string>();

const setUp = (options: Partial<LockClientOptions> = {}) => {
  const client = openClient(kit, options);
  const name = freshName();
  return { client, name, lock: client.getLock(name) };
};

/** For each time an event is told, in which request. */
function whereTold(client: LockClient, event: keyof LockClientEvents): (string | undefined)[] {
  const told: (string | undefined)[] = [];
  client.on(event, () => told.push(requests.getStore()));
  return told;
}

/** In which request a message is published, with its channel, for one client. */
function wherePublished(client: LockClient): string[] {
  const published: string[] = [];
  for (const channel of ['acquired', 'refused', 'released', 'lost', 'renewal'] as const) {
    const note = (message: unknown) => {
      const { clientId } = message as LockDiagnostics[`holdfast:${typeof channel}`];
      if (clientId === client.clientId) published.push(`${channel} in ${requests.getStore()}`);
    };
    subscribe(`holdfast:${channel}`, note);
    kit.cleanup(() => unsubscribe(`holdfast:${channel}`, note));
  }
  return published;
}

describe('a request in which the client connects', () => {
  it('is not kept by connections, subscriptions and timers, which outlive it', async () => {
    const { client, lock } = setUp();
    const other = await openClient(kit).getLock(lock.name).acquire();
    const bodies = new AsyncLocalStorage<object>();
    const serve = async () => {
      const body = {};
      await bodies.run(body, () => lock.withLock(() => undefined));
      return new WeakRef(body);
    };
    const serving = serve();
    await waitUntil(async () => (await client.inspect(lock.name)).queue.length === 1, { what: 'it waits' });
    await other.release();
    const body = await serving;
    const collected = async () => {
      gc?.();
      await turns(2);
      return body.deref() === undefined;
    };
    await waitUntil(collected, { what: 'what the request has kept is garbage' });
    expect(client.ready).toBe(true);
  });
});

describe('what is noted of where a call was made', () => {
  it('ends for async hooks too, when the call is garbage', async () => {
    const noted = new Set<number>();
    const hook = createHook({
      init: (id, type) => type === 'HoldfastCall' && noted.add(id),
      destroy: (id) => noted.delete(id),
    }).enable();
    kit.cleanup(() => hook.disable());
    const { client, lock } = setUp();
    client.on('lost', () => undefined);
    for (let times = 0; times < 10; times++) await lock.withLock(() => undefined);
    const collected = async () => {
      gc?.();
      await turns(2);
      return noted.size < 3;
    };
    expect(noted.size).toBeGreaterThan(0);
    await waitUntil(collected, { what: 'the end of each but the latest' });
  });
});

describe('the abort listener of a hold', () => {
  it('does not run in the scope of whoever finds the loss: what it locks does not re-enter what that one holds', async () => {
    const { client, lock } = setUp();
    const other = client.getLock(freshName());
    const hold = await lock.acquire({ leaseMs: LEASE_MS });
    const tried: Promise<boolean>[] = [];
    hold.signal.addEventListener('abort', () => tried.push(other.tryLock()));
    await other.withLock(async () => {
      stall(LEASE_MS);
      expect(await lock.tryLock()).toBe(true);
      expect(await Promise.all(tried)).toEqual([false]);
    });
    await lock.unlock();
  });

  it('runs in the scope in which the hold was acquired', async () => {
    const { client, lock } = setUp();
    const around = client.getLock(freshName());
    const tried: Promise<boolean>[] = [];
    const [ready, leave] = [new Gate(), new Gate()];
    const flow = around.withLock(async () => {
      const hold = await lock.acquire({ leaseMs: LEASE_MS });
      hold.signal.addEventListener('abort', () => tried.push(around.tryLock()));
      ready.open();
      await leave.opened;
      await around.unlock();
      await failureOf(hold.release());
    });
    await ready.opened;
    stall(LEASE_MS);
    await client.run(() => lock.withLock(() => undefined));
    expect(await Promise.all(tried)).toEqual([true]);
    leave.open();
    await flow;
  });

  it('runs in the async context of its flow, whoever finds the loss', async () => {
    const { lock } = setUp();
    const told: (string | undefined)[] = [];
    const hold = await requests.run('holder', async () => {
      const had = await lock.acquire({ leaseMs: LEASE_MS });
      had.signal.addEventListener('abort', () => told.push(requests.getStore()));
      return had;
    });
    stall(LEASE_MS);
    await requests.run('finder', () => lock.withLock(() => undefined));
    expect(told).toEqual(['holder']);
    await failureOf(hold.release());
  });
});

describe('events of a hold are told in the async context in which it was acquired', () => {
  it('lost', async () => {
    const { client, lock } = setUp();
    const told = whereTold(client, 'lost');
    const hold = await requests.run('holder', () => lock.acquire());
    await requests.run('forcer', () => lock.forceUnlock());
    expect(told).toEqual(['holder']);
    await failureOf(hold.release());
  });

  it('lost, when the release finds it', async () => {
    const { client, name, lock } = setUp();
    const told = whereTold(client, 'lost');
    const hold = await requests.run('holder', () => lock.acquire());
    await kit.admin.del(name);
    await requests.run('releaser', () => failureOf(hold.release()));
    expect(told).toEqual(['holder']);
  });

  it('suspect', async () => {
    const proxy = await openProxy(kit);
    const { client, lock } = setUp({ redis: proxy.url });
    client.on('error', () => undefined);
    const told = whereTold(client, 'suspect');
    const hold = await requests.run('holder', () => lock.acquire());
    proxy.reset();
    await waitUntil(() => told.length > 0, { what: 'the doubt' });
    expect(new Set(told)).toEqual(new Set(['holder']));
    await waitUntil(() => hold.state === 'held', { what: 'the hold to be verified' });
    await hold.release();
  });

  it('leak', async () => {
    const { client, lock } = setUp({ watchdogTimeoutMs: 150 });
    const told = whereTold(client, 'leak');
    await client.run(() => requests.run('holder', () => lock.lock()));
    expect(told).toEqual(['holder']);
  });

  it('held-long and self-wait', async () => {
    const time = driveTime(kit);
    const { client, lock } = setUp({ heldWarnMs: 500 });
    const [long, waits] = [whereTold(client, 'held-long'), whereTold(client, 'self-wait')];
    const hold = await requests.run('holder', () => lock.acquire());
    const waiting = requests.run('waiter', () => lock.acquire());
    await time.advance(2_000);
    expect([long, waits]).toEqual([['holder'], ['waiter']]);
    await hold.release();
    await (await waiting).release();
  });

  it('outside all scopes: a listener does not re-enter what the holder holds', async () => {
    const { client, lock } = setUp();
    const around = client.getLock(freshName());
    const tried: Promise<boolean>[] = [];
    client.on('lost', () => tried.push(around.tryLock()));
    await around.withLock(async () => {
      const hold = await lock.acquire();
      await lock.forceUnlock();
      expect(await Promise.all(tried)).toEqual([false]);
      await failureOf(hold.release());
    });
  });
});

describe('diagnostics are published in the async context of the call they are about', () => {
  it('also when a lock is handed from one call to the next', async () => {
    const { client, lock } = setUp();
    const published = wherePublished(client);
    const first = await requests.run('first', () => lock.acquire());
    const waiting = requests.run('second', () => lock.acquire());
    const byScript = requests.run('third', () => lock.acquire({ leaseMs: 5_000 }));
    await requests.run('elsewhere', () => first.release());
    const second = await waiting;
    await second.release();
    const third = await byScript;
    await third.release();
    expect(published).toEqual([
      'acquired in first',
      'released in first',
      'acquired in second',
      'released in second',
      'acquired in third',
      'released in third',
    ]);
  });

  it('for a lock that comes from another process', async () => {
    const { client, name, lock } = setUp();
    const other = openClient(kit).getLock(name);
    const published = wherePublished(client);
    const theirs = await other.acquire();
    const waiting = requests.run('waiter', () => lock.acquire());
    await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'the queue' });
    await theirs.release();
    await (await waiting).release();
    expect(published).toEqual(['acquired in waiter', 'released in waiter']);
  });

  it('for refusals: busy, in time, aborted, and when the client closes', async () => {
    const { client, lock } = setUp();
    const published = wherePublished(client);
    const hold = await requests.run('holder', () => lock.acquire());
    await requests.run('once', () => lock.tryLock());
    await requests.run('late', () => lock.tryAcquire({ waitMs: 20 }));
    const stop = new AbortController();
    const aborted = requests.run('aborted', () => failureOf(lock.acquire({ signal: stop.signal })));
    requests.run('aborter', () => stop.abort());
    await aborted;
    const closed = requests.run('closed', () => failureOf(lock.acquire()));
    await requests.run('closer', () => client.close());
    await closed;
    await failureOf(hold.release());
    expect(published).toEqual([
      'acquired in holder',
      'refused in once',
      'refused in late',
      'refused in aborted',
      'refused in closed',
      'lost in holder',
    ]);
  });

  it('for renewals and losses', async () => {
    const { client, name, lock } = setUp({ watchdogTimeoutMs: 1_500 });
    const published = wherePublished(client);
    const hold = await requests.run('holder', () => lock.acquire());
    await kit.admin.del(name);
    await waitUntil(() => hold.state === 'lost', { what: 'the loss' });
    expect(new Set(published)).toEqual(new Set(['acquired in holder', 'lost in holder', 'renewal in holder']));
    await failureOf(hold.release());
  });
});
