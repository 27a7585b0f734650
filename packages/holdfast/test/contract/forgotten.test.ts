import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import type { Hold, LockClient, LockClientEvents, LockClientOptions, LockEventMessage, RLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { Gate, turns } from '../support/room.js';

const kit = useRedis();

const setUp = (options: Partial<LockClientOptions> = {}) => {
  const client = openClient(kit, options);
  const leaks: LockClientEvents['leak'][0][] = [];
  client.on('leak', (event) => leaks.push(event));
  const name = freshName();
  return { client, name, lock: client.getLock(name), leaks };
};

async function collect(): Promise<void> {
  gc?.();
  await turns(2);
}

const leaked = (name: string, caller: string) => ({
  name,
  holdId: expect.any(String) as unknown,
  how: 'collected',
  site: expect.stringContaining(caller) as unknown,
});

// Functions of their own, so that nothing of what they drop stays on the stack.
async function dropTheHold(lock: RLock): Promise<void> {
  await lock.acquire();
}
async function dropTheHandle(client: LockClient, name: string): Promise<void> {
  await client.getLock(name).lock();
}
class Service {
  #hold: Hold | undefined;

  async start(lock: RLock): Promise<void> {
    this.#hold = await lock.acquire();
  }

  stop(): Promise<void> | undefined {
    return this.#hold?.release();
  }
}
async function dropTheService(client: LockClient, name: string): Promise<void> {
  await new Service().start(client.getLock(name));
}
function dropThePromise(client: LockClient, name: string): void {
  void client.getLock(name).lock();
}
async function lockedThrough(client: LockClient, name: string): Promise<RLock> {
  const lock = client.getLock(name);
  await lock.lock();
  return lock;
}

describe('a lock that nobody can give back any more is reported as a leak', () => {
  it.each<[what: string, forget: (client: LockClient, name: string) => unknown, caller: string]>([
    ['the Hold of acquire()', (client, name) => dropTheHold(client.getLock(name)), 'dropTheHold'],
    ['the object that called acquire() and kept the Hold', dropTheService, 'start'],
    ['the handle of a lock() outside scopes', dropTheHandle, 'dropTheHandle'],
    ['the promise of a lock() that nobody awaited, with its handle', dropThePromise, 'dropThePromise'],
  ])('when %s was garbage-collected', async (_, forget, caller) => {
    const { client, name, leaks } = setUp();
    await forget(client, name);
    await waitUntil(() => client.stats().acquisitions.won === 1, { what: 'the lock to be had' });
    await waitUntil(async () => (await collect(), leaks.length > 0), { what: 'the leak to be noticed' });
    expect(leaks).toEqual([leaked(name, caller)]);
  });

  it('also to those who subscribe to all events, where nobody listens to that one', async () => {
    const client = openClient(kit);
    const heard: string[] = [];
    const note = (message: unknown) => {
      const { clientId, event } = message as LockEventMessage;
      if (clientId === client.clientId) heard.push(event);
    };
    subscribe('holdfast:event', note);
    kit.cleanup(() => void unsubscribe('holdfast:event', note));
    await dropTheHold(client.getLock(freshName()));
    await waitUntil(async () => (await collect(), heard.includes('leak')), { what: 'the leak to be noticed' });
  });

  it('and goes on to be held: what it guards may go on', async () => {
    const { client, name, lock, leaks } = setUp();
    const signals: AbortSignal[] = [];
    const take = async () => {
      signals.push((await lock.acquire()).signal);
    };
    await take();
    await waitUntil(async () => (await collect(), leaks.length > 0), { what: 'the leak to be noticed' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    expect(await client.getLock(name).isLocked()).toBe(true);
    expect(client.stats().losses).toEqual({});
  });

  it('but not one that is kept, was given back or was lost', async () => {
    const { client, leaks } = setUp();
    const kept: unknown[] = [];
    const take = async () => {
      kept.push(await client.getLock(freshName()).acquire(), await lockedThrough(client, freshName()));
      await (await client.getLock(freshName()).acquire()).release();
      await (await lockedThrough(client, freshName())).unlock();
      const name = freshName();
      const lost = await client.getLock(name).acquire();
      await client.getLock(name).forceUnlock();
      await failureOf(lost.release());
    };
    await take();
    const { lock, leaks: others } = setUp();
    await dropTheHold(lock);
    await waitUntil(async () => (await collect(), others.length > 0), { what: 'what is garbage to be collected' });
    expect(leaks).toEqual([]);
    for (const each of kept) await ('release' in (each as Hold) ? (each as Hold).release() : (each as RLock).unlock());
  });
});

describe('heldWarnMs', () => {
  const heldLong = (client: LockClient) => {
    const events: LockClientEvents['held-long'][0][] = [];
    client.on('held-long', (event) => events.push(event));
    return events;
  };
  const WARN_MS = 1_000;

  it('reports each hold once that is held for longer', async () => {
    const time = driveTime(kit);
    const { client, name, lock } = setUp({ heldWarnMs: WARN_MS });
    const events = heldLong(client);
    const outer = await lock.acquire();
    const inner = await outer.run(() => lock.acquire());
    await time.advance(WARN_MS - 1);
    expect(events).toEqual([]);
    await inner.release();
    await time.advance(10 * WARN_MS);
    const site = expect.stringContaining('forgotten.test.ts');
    expect(events).toEqual([{ name, holdId: expect.any(String), heldMs: expect.any(Number), site }]);
    expect(events[0]?.heldMs).toBeGreaterThanOrEqual(WARN_MS);
    expect(events[0]?.heldMs).toBeLessThanOrEqual(1.25 * WARN_MS);
    await outer.release();
  });

  /** As JavaScriptCore: the entry is the first function of that name, from within. */
  const foundByName = (noted: object, entry: { readonly name: string }) => {
    Error.stackTraceLimit = 50;
    const [head, ...frames] = String(new Error('noted').stack).split('\n');
    const within = frames.findIndex((frame) => new RegExp(`[ .]${entry.name} `).test(frame));
    expect(within).toBeGreaterThan(0);
    Object.assign(noted, { stack: [head, ...frames.slice(within + 1)].join('\n') });
  };

  it.each([
    ['share', (client, name, fn) => client.share(name, { ttlMs: 10, fn })],
    ['oncePer', (client, name, fn) => client.oncePer(name, 1_000, fn)],
    ['campaign', (client, name, fn) => client.election(name).campaign(fn)],
  ] satisfies [string, (client: LockClient, name: string, fn: () => Promise<number>) => Promise<unknown>][])(
    'reports of a hold that %s has taken where that was called, and no code of holdfast',
    async (_, takeIt) => {
      const time = driveTime(kit);
      const { client } = setUp({ heldWarnMs: WARN_MS });
      const events = heldLong(client);
      for (const isByName of [false, true]) {
        const working = new Gate();
        const capture = isByName && jest.spyOn(Error, 'captureStackTrace').mockImplementation(foundByName as never);
        const call = takeIt(client, freshName(), async () => {
          await working.opened;
          return 1;
        });
        if (capture) capture.mockRestore();
        await time.advance(2 * WARN_MS);
        expect(events.pop()?.site?.split('\n')[1]).toMatch(/forgotten\.test\.ts/);
        working.open();
        await call;
      }
    },
  );

  it('reports sections too, and says nothing of what is given back before', async () => {
    const time = driveTime(kit);
    const { client, lock } = setUp({ heldWarnMs: WARN_MS });
    const events = heldLong(client);
    for (let times = 0; times < 5; times++) await lock.withLock(() => time.advance(WARN_MS / 2));
    expect(events).toEqual([]);
    await lock.withLock(() => time.advance(2 * WARN_MS));
    expect(events).toHaveLength(1);
  });
});
