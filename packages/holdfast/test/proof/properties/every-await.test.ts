/**
 * A call is given up at every point at which other code may run while it is under way: by its signal, by its deadline, by the end of its
 * scope, and by its signal while the lock is lost or the connection breaks. Whatever it was doing, nothing of it stays. Every scenario ends by
 * itself when nobody gives up, and is run once for each of its points, each time on another of the names that nearly collide; the last of
 * these is held and waited for by bystanders meanwhile, and nothing of it may change.
 *
 * Breaking connections takes time: the normal run does it at every ninth point, HOLDFAST_PROOF=long at each.
 */
import { getEventListeners } from 'node:events';
import { lockKeys } from '@holdfast/core';
import { type FaultProxy, nearNames, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import {
  type AcquireOptions,
  type Hold,
  type LockClient,
  LockLostError,
  LockNotHeldError,
  LockScopeError,
  LockTimeoutError,
  LockUnavailableError,
  type RLock,
} from 'holdfast';
import { freshName, openClient } from '../../support/clients.js';
import { stall } from '../../support/stall.js';
import { bystanders, Neighbour } from '../../support/neighbour.js';
import { openProxy } from '../../support/redis-inputs.js';
import { AwaitPoints } from './await-points.js';

const kit = useRedis();
const WAIT_MS = 8;
/** What a scope leaves open goes with it. */
const LEASE_MS = 600;
const timeoutMs = 60_000;

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
  'lock() and unlock()': async (lock, _, { signal, waitMs }, begun) => {
    const call = waitMs === undefined ? lock.lock(signal === undefined ? {} : { signal }) : lock.tryLock(waitMs);
    begun();
    if ((await call) === false) throw new LockTimeoutError(lock.name, WAIT_MS);
    await lock.unlock();
  },
  'one attempt at a lock that is held elsewhere': async (lock, stranger, { signal }, begun) => {
    const first = await stranger.acquire();
    const call = lock.tryAcquire(signal === undefined ? {} : { signal });
    begun();
    // Only where the lock was taken away from the stranger is there a hold.
    await settledThen(call, async (hold) => {
      await hold?.release();
      await first.release();
    });
  },
  'a grant from elsewhere': async (lock, stranger, options, begun) => {
    const first = await stranger.acquire();
    const call = lock.acquire(options);
    begun();
    const done = givenBack(call);
    await queuedOrSettled(lock.name, call);
    await first.release();
    await done;
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
    const done = [givenBack(call), givenBack(next)];
    await queuedOrSettled(lock.name, call);
    await first.release();
    await Promise.all(done);
  },
};

/** What happens to one call. */
interface Situation {
  readonly name: string;
  readonly strangers: LockClient;
  readonly proxy: FaultProxy;
  readonly startedAt: number;
  readonly abort: () => void;
  readonly endScope: () => void;
}

/** How a call is given up. */
interface Way {
  readonly by: 'signal' | 'deadline' | 'scope';
  /** Every how many points. */
  readonly step?: number;
  readonly strike: (situation: Situation) => void;
  /** Beside the reason of the signal. */
  readonly mayEndWith: readonly (new (
    ...args: never[]
  ) => Error)[];
}

const everyPoint = process.env['HOLDFAST_PROOF'] === 'long' ? 1 : 9;
const ways = {
  'by its signal': { by: 'signal', strike: ({ abort }) => abort(), mayEndWith: [] },
  'by its deadline': {
    by: 'deadline',
    strike: ({ startedAt }) => stall(startedAt + WAIT_MS + 1 - performance.now()),
    mayEndWith: [LockTimeoutError, LockUnavailableError],
  },
  'by the end of its scope': {
    by: 'scope',
    strike: ({ endScope }) => endScope(),
    // What was left open in the scope is lost with it, or is not its to unlock any more.
    mayEndWith: [LockScopeError, LockLostError, LockNotHeldError],
  },
  'by its signal while the lock is taken away': {
    by: 'signal',
    strike: ({ abort, strangers, name }) => {
      void strangers.getLock(name).forceUnlock();
      abort();
    },
    mayEndWith: [LockLostError, LockNotHeldError],
  },
  'by its signal while the connection breaks': {
    by: 'signal',
    step: everyPoint,
    strike: ({ abort, proxy }) => {
      abort();
      // Not in the middle of what a socket of the proxy is being told.
      queueMicrotask(() => proxy.reset());
    },
    // An attempt has a second for its answer, and a hold around it the rest of its lease: on a busy machine a new connection may take longer.
    mayEndWith: [LockUnavailableError, LockLostError],
  },
} satisfies Record<string, Way>;

describe('a call that is given up at any point leaves nothing behind', () => {
  it.each(Object.entries(ways) as [string, Way][])('%s', (_, way) => everyScenario(way, 'warm'), timeoutMs);

  it('by its signal, while the client connects', () => everyScenario(ways['by its signal'], 'cold'), timeoutMs);
});

async function everyScenario(way: Way, start: 'warm' | 'cold'): Promise<void> {
  const proxy = await openProxy(kit);
  const open = () => openClient(kit, { redis: proxy.url, watchdogTimeoutMs: LEASE_MS });
  const [client, strangers] = [open(), openClient(kit)];
  const beside = bystanders(kit);
  await warm([client, strangers, ...Object.values(beside)]);
  const timersBefore = await waitUntil(() => timers(), { what: 'this very wait has a timer' });
  const names: string[] = [];
  for (const [what, scenario] of Object.entries(scenarios)) {
    if (start === 'cold' && what !== 'a lock that is free') continue;
    if (way.by === 'deadline' && what.includes('one attempt')) continue;
    let given = 0;
    const near = nearNames(freshName());
    const neighbour = await Neighbour.of(beside, near.pop() as string);
    for (let point = 0, reached = true; reached; point += way.step ?? 1) {
      const name = near[point % near.length] as string;
      names.push(name);
      const own = start === 'cold' ? open() : client;
      reached = await once(scenario, way, { client: own, strangers, proxy, name, what, point });
      if (reached) given++;
      if (start === 'cold') await own.close();
    }
    await neighbour.undisturbed();
    if (process.env['HOLDFAST_PROOF'] === 'long') process.stdout.write(`${given} points: ${what}\n`);
    expect({ what, enough: given > 4 / (way.step ?? 1) }).toEqual({ what, enough: true });
  }
  await nothingLeft(names);
  await waitUntil(() => timers() <= timersBefore, { what: 'no timer of a wait is left', timeoutMs: 5_000 });
}

interface Round {
  readonly client: LockClient;
  readonly strangers: LockClient;
  readonly proxy: FaultProxy;
  readonly name: string;
  /** The scenario. */
  readonly what: string;
  readonly point: number;
}

/** Whether the point was reached. */
async function once(scenario: Scenario, way: Way, round: Round): Promise<boolean> {
  const { client, strangers, proxy, name, what, point } = round;
  const abort = new AbortController();
  const reason = new Error(`given up at point ${point}`);
  let endScope!: () => void;
  const scopeEnds = new Promise<void>((resolve) => {
    endScope = resolve;
  });
  let startedAt = 0;
  const giveUp = () => way.strike({ name, strangers, proxy, startedAt, abort: () => abort.abort(reason), endScope });
  const options = { signal: { signal: abort.signal }, deadline: { waitMs: WAIT_MS }, scope: {} }[way.by];
  const points = new AwaitPoints(point, giveUp);
  const begun = () => {
    startedAt = performance.now();
    points.begun();
  };
  const run = () =>
    scenario(client.getLock(name), strangers.getLock(name), options, begun).catch((error: unknown) => error);
  const outcome = way.by === 'scope' ? await inScope(client, run, { endScope, scopeEnds }) : await run();
  const reached = points.stop();
  const expected =
    outcome === undefined || outcome === reason || way.mayEndWith.some((kind) => outcome instanceof kind);
  expect({ what, point, outcome, expected }).toEqual({ what, point, outcome, expected: true });
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  return reached;
}

/** Also when the scope ends before what was begun in it. */
async function inScope(
  client: LockClient,
  run: () => Promise<unknown>,
  { endScope, scopeEnds }: { endScope: () => void; scopeEnds: Promise<void> },
): Promise<unknown> {
  let ending: Promise<unknown> | undefined;
  await client.run(() => {
    ending = run().finally(endScope);
    return scopeEnds;
  });
  return ending;
}

/** Neither lock nor queue; a tombstone may stay until it expires. */
async function nothingLeft(names: readonly string[]): Promise<void> {
  const keys = names.map((name) => lockKeys(name)).flatMap(({ lock, queue, fresh }) => [lock, queue, fresh]);
  await waitUntil(async () => (await kit.admin.exists(...keys)) === 0, {
    what: 'no lock, queue or waiter is left',
    timeoutMs: 3_000,
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

/** Gives the hold back as soon as there is one, whatever becomes of the rest of the scenario. */
function givenBack(call: Promise<Hold>): Promise<void> {
  const done = call.then((hold) => hold.release());
  done.catch(() => undefined);
  return done;
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
  const { queue } = lockKeys(name);
  while (!settled && (await kit.admin.exists(queue)) === 0);
}
