/**
 * A call is given up at every point at which other code may run while it is under way: by its signal, and by its deadline. Whatever it
 * was doing, nothing of it stays. Every scenario ends by itself when nobody gives up, and is run once for each of its points.
 */
import { getEventListeners } from 'node:events';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import {
  type AcquireOptions,
  type Hold,
  type LockClient,
  LockTimeoutError,
  LockUnavailableError,
  type RLock,
} from 'holdfast';
import { freshName, openClient } from '../../support/clients.js';
import { stall } from '../../support/losses.js';
import { AwaitPoints } from './await-points.js';

const kit = useRedis();
const WAIT_MS = 8;
const timeoutMs = 30_000;

/** The call under test gets `options`; everything else that the scenario takes it gives back. */
type Scenario = (lock: RLock, stranger: RLock, options: AcquireOptions, begun: () => void) => Promise<void>;

const scenarios: Record<string, Scenario> = {
  'a lock that is free': async (lock, _, options, begun) => {
    const call = lock.acquire(options);
    begun();
    await (await call).release();
  },
  'a section, its release included': async (lock, _, options, begun) => {
    const call = lock.withLock(options, () => undefined);
    begun();
    await call;
  },
  'one attempt at a lock that is held elsewhere': async (lock, stranger, { signal }, begun) => {
    const first = await stranger.acquire();
    const call = lock.tryAcquire(signal === undefined ? {} : { signal });
    begun();
    await settledThen(call, () => first.release());
  },
  'a grant from elsewhere': async (lock, stranger, options, begun) => {
    const first = await stranger.acquire();
    const call = lock.acquire(options);
    begun();
    await queuedOrSettled(lock.name, call);
    await first.release();
    await (await call).release();
  },
  're-entry': async (lock, _, options, begun) => {
    const outer = await lock.acquire();
    const call = outer.run(() => lock.acquire(options));
    begun();
    await settledThen(call, async (inner) => {
      await inner?.release();
      await outer.release();
    });
  },
  'a handoff in memory': async (lock, _, options, begun) => {
    const first = await lock.acquire();
    const call = lock.acquire(options);
    begun();
    await Promise.all([first.release(), call.then((hold) => hold.release())]);
  },
  'a handoff by script': async (lock, _, options, begun) => {
    const first = await lock.acquire({ leaseMs: 20_000 });
    const call = lock.acquire({ ...options, leaseMs: 10_000 });
    begun();
    await Promise.all([first.release(), call.then((hold) => hold.release())]);
  },
  'a place in the queue that the next call inherits': async (lock, stranger, options, begun) => {
    const first = await stranger.acquire();
    const call = lock.acquire(options);
    const next = lock.acquire();
    begun();
    await queuedOrSettled(lock.name, call);
    await first.release();
    await settledThen(call, async (hold) => {
      await hold?.release();
      await (await next).release();
    });
  },
};

describe('a call that is given up at any point leaves nothing behind', () => {
  for (const [title, scenario] of Object.entries(scenarios)) {
    it(`by its signal: ${title}`, () => everyPoint(scenario, 'signal'), timeoutMs);
    if (!title.includes('one attempt'))
      it(`by its deadline: ${title}`, () => everyPoint(scenario, 'deadline'), timeoutMs);
  }

  it(
    'by its signal, while the client connects',
    () => everyPoint(scenarios['a lock that is free'] as Scenario, 'cold'),
    timeoutMs,
  );
});

async function everyPoint(scenario: Scenario, way: 'signal' | 'deadline' | 'cold'): Promise<void> {
  const client = openClient(kit);
  const strangers = openClient(kit);
  await warm([client, strangers]);
  const timersBefore = await waitUntil(() => timers(), { what: 'this very wait has a timer' });
  const names: string[] = [];
  let given = 0;
  for (let point = 0, reached = true; reached; point++) {
    const name = freshName();
    names.push(name);
    const own = way === 'cold' ? openClient(kit) : client;
    reached = await once(scenario, own, strangers, name, point, way === 'deadline' ? 'deadline' : 'signal');
    if (reached) given++;
    if (way === 'cold') await own.close();
  }
  if (process.env['HOLDFAST_PROOF'] === 'long')
    process.stdout.write(`${given} points: ${expect.getState().currentTestName}\n`);
  expect(given).toBeGreaterThan(4);
  await nothingLeft(names);
  await waitUntil(() => timers() <= timersBefore, { what: 'no timer of a wait is left', timeoutMs: 3_000 });
}

/** Whether the point was reached. */
async function once(
  scenario: Scenario,
  client: LockClient,
  strangers: LockClient,
  name: string,
  point: number,
  way: 'signal' | 'deadline',
): Promise<boolean> {
  const abort = new AbortController();
  const reason = new Error(`given up at point ${point}`);
  let startedAt = 0;
  const giveUp = () => (way === 'signal' ? abort.abort(reason) : stall(startedAt + WAIT_MS + 1 - performance.now()));
  const options = way === 'signal' ? { signal: abort.signal } : { waitMs: WAIT_MS };
  const points = new AwaitPoints(point, giveUp);
  const begun = () => {
    startedAt = performance.now();
    points.begun();
  };
  const outcome = await scenario(client.getLock(name), strangers.getLock(name), options, begun).catch(
    (error: unknown) => error,
  );
  const reached = points.stop();
  if (way === 'signal') expect([undefined, reason]).toContain(outcome);
  else if (outcome !== undefined) expect(isEndOfWait(outcome)).toBe(true);
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  return reached;
}

function isEndOfWait(error: unknown): boolean {
  return error instanceof LockTimeoutError || error instanceof LockUnavailableError;
}

/** Neither lock nor queue; a tombstone may stay until it expires. */
async function nothingLeft(names: readonly string[]): Promise<void> {
  const keys = names.flatMap((name) => [name, `holdfast_queue:{${name}}`, `holdfast_fresh:{${name}}`]);
  await waitUntil(async () => (await kit.admin.exists(...keys)) === 0, {
    what: 'no lock, queue or waiter is left',
    timeoutMs: 1_000,
  });
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

/** Connected, and listening. */
async function warm(clients: readonly LockClient[]): Promise<void> {
  await Promise.all(clients.map((client) => client.getLock(freshName()).withLock(() => undefined)));
  await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length >= clients.length, {
    what: 'both listen',
  });
}

/** Does `then` whatever came of the call, and tells what came of it. */
async function settledThen(call: Promise<Hold | null>, then: (hold: Hold | undefined) => unknown): Promise<void> {
  const hold = await call.catch(() => undefined);
  await then(hold ?? undefined);
  await call;
}

async function queuedOrSettled(name: string, call: Promise<unknown>): Promise<void> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  void call.catch(() => undefined).finally(done);
  const queue = `holdfast_queue:{${name}}`;
  while (!settled && (await kit.admin.exists(queue)) === 0);
}
