/** What becomes of locks by majority when nodes die, stand still, come back or forget. Time is driven. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import {
  createRedLockClient,
  type Hold,
  LockLostError,
  LockNodesError,
  LockUnavailableError,
  type RedLockClient,
  type RLock,
} from 'holdfast';
import { type Link, redlockMemoryWorld } from '../family/redlock-memory-world.js';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { Room } from '../support/room.js';

const world = redlockMemoryWorld();
const LEASE_MS = 3_000;
const NODES = [0, 1, 2, 3, 4];

const open = (options: object = {}) => world.open({ watchdogTimeoutMs: LEASE_MS, ...options });
const within = <T>(call: Promise<T>) => world.outcome(call);
/** Nodes on which the lock is taken. */
const takenOn = async (name: string) => {
  const there = await Promise.all(world.admins.map((admin) => admin.exists(name)));
  return NODES.filter((node) => there[node] === 1);
};
/** A client that has been connected to all nodes. */
const warmed = async (name: string, options?: object) => {
  const client = open(options);
  await within(client.connect());
  return client.getRedLock(name);
};

/** A hold that nodes 0 to 2 have voted for: on 3 and 4 somebody else has the lock. Where the node in line is one of those, it is not to be had. */
const heldByThree = async () => {
  const client = open();
  await within(client.connect());
  for (;;) {
    const name = freshName();
    for (const node of [3, 4]) await world.admins[node]?.hset(name, `${randomUUID()}:1`, '1');
    const hold = await within(client.getRedLock(name).tryAcquire());
    if (hold !== null) return hold;
  }
};

/** Its lock, which is free at all nodes now: who stands in line for it does so at one of the first three. */
const freed = async (held: Promise<Hold>) => {
  const hold = await held;
  await within(hold.release());
  for (const node of [3, 4]) await world.admins[node]?.del(hold.name);
  return hold;
};

/** A hold that was waited for, in line at node 4, and that nodes 2 to 4 have voted for. What it is told by 0 and 1 is held back on its ways there. */
const grantedByThree = async () => {
  const name = 'report';
  const ways = world.ownLinks();
  const kept = await within((await warmed(name)).acquire());
  const call = world.open({ watchdogTimeoutMs: LEASE_MS }, ways).getRedLock(name).acquire();
  await world.until(async () => (await world.waiters(name, 'queue')) === 1, 'a waiter');
  expect(await world.lineOf(name)).toBe(4);
  for (const node of [0, 1]) ways[node]?.freeze();
  await within(kept.release());
  return { hold: await within(call), ways };
};

it('nodes are reached in time when the process stood still for longer than that', async () => {
  const client = open();
  for (const link of world.links) link.freeze();
  const connected = client.connect({ timeoutMs: 300 });
  // What has come meanwhile is read after timers have run that are due.
  world.clock.setTimer(() => world.links.forEach((link) => link.thaw()), 1_000);
  world.clock.jump(1_000);
  await within(connected);
  expect(client.ready).toBe(true);
});

it('a majority of the nodes answers before the client is connected once more, after they have been quiet', async () => {
  const client = open();
  await within(client.connect());
  for (const node of [3, 4]) world.links[node]?.freeze();
  await world.clock.advance(1_000);
  await within(client.connect({ timeoutMs: 300 }));
  world.links[2]?.freeze();
  await world.clock.advance(1_000);
  const failure = await within(failureOf(client.connect({ timeoutMs: 300 })));
  expect(failure).toBeInstanceOf(LockUnavailableError);
  world.links[2]?.thaw();
  await within(client.connect());
});

it.each([
  [{ leaseMs: 500 }, 'expired'],
  [{ maxHoldMs: 500 }, 'max-hold'],
] as const)(
  'a call gets its own lease (%o), also when the nodes were asked for that of another call, which has given up since',
  async (options, reason) => {
    const lock = await warmed(freshName());
    for (const link of world.links) link.freeze();
    const impatient = new AbortController();
    const given = failureOf(lock.acquire({ signal: impatient.signal }));
    const call = lock.acquire(options);
    impatient.abort();
    await given;
    for (const link of world.links) link.thaw();
    const hold = await within(call);
    await world.pass(500);
    expect(hold.signal.reason).toMatchObject({ reason });
  },
);

it.each([
  ['of a fixed lease', { leaseMs: LEASE_MS }, undefined],
  ['of a lease that was renewed', {}, undefined],
  ['by which the next call of the process has it', { leaseMs: LEASE_MS }, { leaseMs: LEASE_MS }],
])('a release %s that the nodes hear when that is over is no loss', async (_, options, following) => {
  const client = open();
  const losses: unknown[] = [];
  client.on('lost', (loss) => losses.push(loss));
  await within(client.connect());
  const lock = client.getRedLock(freshName());
  const hold = await within(lock.acquire(options));
  const next = following && lock.acquire(following);
  for (const link of world.links) link.freeze();
  const failure = failureOf(hold.release());
  await world.pass(LEASE_MS);
  for (const link of world.links) link.thaw();
  expect(await within(failure)).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(losses).toEqual([]);
  if (next !== undefined) await within((await within(next)).release());
});

it('a call that is to be renewed is, also when the nodes were asked for the shorter lease of another call, which has given up since', async () => {
  const lock = await warmed(freshName());
  for (const link of world.links) link.freeze();
  const impatient = new AbortController();
  const given = failureOf(lock.acquire({ leaseMs: 500, signal: impatient.signal }));
  const call = lock.acquire();
  impatient.abort();
  await given;
  for (const link of world.links) link.thaw();
  const hold = await within(call);
  await world.pass(3 * LEASE_MS);
  expect(hold.state).toBe('held');
  await within(hold.release());
});

describe('a call behind one that wanted another lease, and has given up', () => {
  it('has the votes of all nodes, and its own lease on each, when that one waited in line', async () => {
    const name = freshName();
    const lock = await warmed(name);
    const kept = await within((await warmed(name)).acquire());
    const impatient = new AbortController();
    const given = failureOf(lock.acquire({ leaseMs: 1_000, signal: impatient.signal }));
    const call = lock.acquire({ leaseMs: 3_000 });
    await world.until(async () => (await world.waiters(name, 'queue')) === 1, 'a waiter');
    impatient.abort();
    await given;
    await within(kept.release());
    const hold = await within(call);
    await world.pass(1_500);
    expect((await takenOn(name)).length).toBe(NODES.length);
    await within(hold.release());
  });
});

it('who has lost the vote of the line, since the call that it was for has gone, does not stand in line everywhere', async () => {
  const name = freshName();
  const [mine, theirs] = [await warmed(name), await warmed(name)];
  const kept = await within(mine.acquire());
  const waiting = theirs.acquire();
  await world.until(async () => (await world.waiters(name, 'queue')) === 1, 'a waiter');
  const line = await world.lineOf(name);
  await within(kept.release());
  await within((await within(waiting)).release());
  const others = NODES.filter((node) => node !== line).slice(0, 3);
  for (const node of others) await world.admins[node]?.hset(name, `${randomUUID()}:1`, '1');
  // The first one has the vote of the line, and no majority.
  const attempt = mine.tryAcquire({ leaseMs: 500 });
  const calls = [mine.acquire({ leaseMs: 1_000 })];
  await world.until(async () => (await takenOn(name)).includes(line), 'the vote of the line');
  calls.push(theirs.acquire());
  expect(await within(attempt)).toBeNull();
  // Whichever has the vote of the line stands in line at the others, alone.
  for (let looks = 0; looks < 20; looks++) {
    await world.pass(10);
    const admins = world.admins.filter((_, node) => others.includes(node));
    const places = await Promise.all(admins.map((admin) => admin.zcard(`holdfast_queue:{${name}}`)));
    expect(Math.max(...places)).toBeLessThan(2);
  }
  for (const node of others) await world.admins[node]?.del(name);
  const releasing = calls.map(async (call) => (await call).release());
  await within(Promise.all(releasing));
});

describe('a minority of the nodes', () => {
  it.each([
    ['dead', (node: number) => world.kill(node)],
    ['silent', (node: number) => world.links[node]?.freeze()],
  ])('that is %s changes nothing: the lock is taken, kept, renewed and given back', async (_, fault) => {
    const name = freshName();
    const [mine, theirs] = [await warmed(name), await warmed(name)];
    for (const node of [1, 3]) fault(node);
    const hold = await within(mine.acquire({ waitMs: 1_000 }));
    expect(await within(theirs.tryLock())).toBe(false);
    await world.pass(3 * LEASE_MS);
    expect(hold.state).toBe('held');
    const next = theirs.acquire();
    await world.until(async () => (await world.waiters(name, 'queue')) === 1, 'a waiter');
    await within(hold.release());
    await within((await within(next)).release());
  });

  it('that dies under a hold takes nothing from it, and is asked for its vote again when it is back and old enough', async () => {
    const name = freshName();
    const hold = await within((await warmed(name)).acquire());
    for (const node of [0, 1]) {
      world.kill(node);
      world.servers[node]?.restart('data lost');
    }
    await world.pass(2 * LEASE_MS);
    for (const node of [0, 1]) world.start(node);
    await world.pass(LEASE_MS);
    expect(hold.state).toBe('held');
    await world.until(async () => (await takenOn(name)).length === NODES.length, 'all nodes to vote');
    await within(hold.release());
    await world.until(async () => (await takenOn(name)).length === 0, 'all nodes to be free');
  });

  it('that falls silent is told as suspect when another vote is lost, and the healthy ones are no majority any more', async () => {
    const name = freshName();
    const client = open();
    const suspect: string[] = [];
    client.on('suspect', (told) => suspect.push(told.name));
    await within(client.connect());
    const hold = await within(client.getRedLock(name).acquire());
    await world.until(async () => (await takenOn(name)).length === NODES.length, 'all nodes to vote');
    for (const node of [0, 1]) world.kill(node);
    await world.pass(LEASE_MS / 2);
    expect([hold.state, suspect]).toEqual(['held', []]);
    await world.admins[2]?.del(name);
    await world.until(() => hold.state === 'suspect', 'the lost vote to be noticed');
    expect(suspect).toEqual([name]);
    for (const node of [0, 1]) world.start(node);
    await within(hold.release());
  });

  it.each(['goes on', 'is given back'] as const)(
    'that votes anew does not hide that a majority has forgotten a lock, and another client has had it since: the hold %s',
    async (what) => {
      const { name } = await freed(heldByThree());
      const ways = world.ownLinks();
      const hold = await within(world.open({ watchdogTimeoutMs: LEASE_MS }, ways).getRedLock(name).acquire());
      expect(await takenOn(name)).toEqual(NODES);
      for (const node of [1, 2]) ways[node]?.freeze();
      for (const node of [0, 1, 2]) await world.admins[node]?.del(name);
      const theirs = await within((await warmed(name)).tryWithLock(() => takenOn(name)));
      expect(theirs).toEqual({ ran: true, value: NODES });
      await world.until(async () => (await takenOn(name)).includes(0), 'the first node to vote anew');
      const released = what === 'is given back' ? failureOf(hold.release()) : undefined;
      for (const node of [1, 2]) ways[node]?.thaw();
      if (released === undefined) await world.until(() => hold.state === 'lost', 'the loss to be noticed');
      const failure = await within(released ?? failureOf(hold.release()));
      expect(failure).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
    },
  );

  it('that votes anew and forgets that too ends nothing, where a majority of the first votes stands', async () => {
    const name = freshName();
    const hold = await within((await warmed(name)).acquire());
    expect(await takenOn(name)).toEqual(NODES);
    world.kill(1);
    await world.pass(LEASE_MS);
    await world.admins[0]?.del(name);
    await world.until(async () => (await takenOn(name)).includes(0), 'the first node to vote anew');
    await world.admins[0]?.del(name);
    expect(hold.state).toBe('held');
    await within(hold.release());
    world.start(1);
  });

  it('that dies under a hold to which a fixed one of the same client was passed on is asked for its vote again', async () => {
    const name = freshName();
    const lock = await warmed(name);
    const first = await within(lock.acquire({ leaseMs: LEASE_MS }));
    const next = lock.acquire();
    await within(first.release());
    const hold = await within(next);
    expect(await takenOn(name)).toEqual(NODES);
    await world.admins[0]?.del(name);
    await world.until(async () => !(await takenOn(name)).includes(0), 'the vote to be gone');
    await world.until(async () => (await takenOn(name)).length === NODES.length, 'all nodes to vote');
    await world.pass(2 * LEASE_MS);
    expect(hold.state).toBe('held');
    await within(hold.release());
  });

  it.each(['before', 'after'] as const)(
    'that forgets the lock %s a renewed hold passes it on to a fixed one is not asked for its vote again',
    async (when) => {
      const name = freshName();
      const lock = await warmed(name);
      const first = await within(lock.acquire());
      // Those that voted after the majority had were to be asked again by now.
      await world.pass(0.4 * LEASE_MS);
      expect(await takenOn(name)).toEqual(NODES);
      const next = lock.acquire({ leaseMs: LEASE_MS });
      const forget = async () => {
        await world.admins[0]?.del(name);
        // A renewal finds it, and the question is planned.
        await world.pass(0.4 * LEASE_MS);
      };
      if (when === 'before') await forget();
      await within(first.release());
      const hold = await within(next);
      if (when === 'after') await forget();
      await world.pass(0.45 * LEASE_MS);
      expect(hold.state).toBe('held');
      expect(await takenOn(name)).toEqual([1, 2, 3, 4]);
      await within(hold.release());
    },
  );

  it('that holds a fixed lease does not restart it for a fixed one inside', async () => {
    const lock = await warmed(freshName());
    const outer = await within(lock.acquire({ leaseMs: LEASE_MS }));
    await world.pass(0.8 * LEASE_MS);
    const inner = await within(outer.run(() => lock.acquire({ leaseMs: 0.5 * LEASE_MS })));
    await world.pass(0.4 * LEASE_MS);
    expect(inner.state).toBe('held');
    await within(inner.release());
    await world.pass(0.2 * LEASE_MS);
    expect(outer.state).toBe('lost');
  });

  it('that is silent when the lock is given back frees it later', async () => {
    const name = freshName();
    const hold = await within((await warmed(name)).acquire());
    await world.until(async () => (await takenOn(name)).length === NODES.length, 'all nodes to vote');
    world.links[4]?.freeze();
    await within(hold.release());
    expect(await takenOn(name)).toEqual([4]);
    world.links[4]?.thaw();
    await world.pass(20);
    expect(await takenOn(name)).toEqual([]);
  });

  it('that is silent when the lock is given back may have been one of three votes: those that came late count', async () => {
    const name = freshName();
    const lock = await warmed(name);
    for (const node of [3, 4]) world.links[node]?.freeze();
    const hold = await within(lock.acquire());
    world.links[2]?.freeze();
    const release = hold.release();
    for (const node of [3, 4]) world.links[node]?.thaw();
    await within(release);
    expect(await takenOn(name)).toEqual([2]);
  });

  it.each([
    ['dead', (node: number) => world.kill(node)],
    ['silent', (node: number) => world.links[node]?.freeze()],
  ])(
    'that is %s when the lock is given back may have been one of three votes: nodes that declined keep nothing of it',
    async (_, fault) => {
      const hold = await heldByThree();
      fault(0);
      const since = world.clock.now();
      await within(hold.release());
      expect(world.clock.now() - since).toBeLessThan(1_000);
    },
  );

  it.each(['before', 'while'] as const)(
    'that is silent when the lock is given back may have been one of three votes for a client that had waited: nodes that answer late, %s it gives the lock back, count',
    async (late) => {
      const { hold, ways } = await grantedByThree();
      const thaw = async () => {
        for (const node of [0, 1]) ways[node]?.thaw();
        await world.pass(20);
      };
      if (late === 'before') await thaw();
      ways[2]?.freeze();
      const since = world.clock.now();
      const release = hold.release();
      if (late === 'while') await thaw();
      await within(release);
      expect(world.clock.now() - since).toBeLessThan(1_000);
    },
  );

  it('that is dead when the lock is given back may have been one of three votes: nodes that have undone an earlier question keep nothing of it', async () => {
    const lock = await warmed(freshName());
    for (const node of [0, 1, 2]) world.links[node]?.freeze();
    const call = lock.acquire({ leaseMs: LEASE_MS });
    await world.pass(200);
    world.links[2]?.thaw();
    const hold = await within(call);
    for (const node of [0, 1]) world.links[node]?.thaw();
    await world.pass(200);
    expect((await takenOn(hold.name)).filter((node) => node < 2)).toEqual([]);
    world.kill(2);
    const since = world.clock.now();
    await within(hold.release());
    expect(world.clock.now() - since).toBeLessThan(1_000);
  });

  it('that is dead when the lock is given back may have been one of three votes: nodes that refuse to undo an earlier question keep what it gave', async () => {
    const lock = await warmed(freshName());
    // So that the nodes know the scripts.
    await within(lock.withLock(() => undefined));
    for (const node of [0, 1, 2]) world.links[node]?.freeze();
    const call = lock.acquire({ leaseMs: LEASE_MS });
    await world.pass(50);
    // The question comes through to these, and their answers do not.
    for (const node of [0, 1]) {
      world.links[node]?.thaw();
      world.links[node]?.freeze();
    }
    await world.pass(150);
    for (const node of [0, 1]) world.servers[node]?.refuse({ code: 'MISCONF' });
    world.links[2]?.thaw();
    const hold = await within(call);
    for (const node of [0, 1]) world.links[node]?.thaw();
    await world.pass(200);
    expect((await takenOn(hold.name)).filter((node) => node < 2)).toEqual([0, 1]);
    world.kill(2);
    expect(await within(failureOf(hold.release()))).toBeInstanceOf(LockUnavailableError);
  });

  it('is no majority: with a vote and two late answers outstanding, the lock is not given back', async () => {
    const { hold, ways } = await grantedByThree();
    ways[2]?.freeze();
    expect(await within(failureOf(hold.release()))).toBeInstanceOf(LockUnavailableError);
  });

  it('that has lost one of three votes has lost the lock: with those that declined, others may have had it', async () => {
    const hold = await heldByThree();
    await world.admins[0]?.del(hold.name);
    expect(await within(failureOf(hold.release()))).toBeInstanceOf(LockLostError);
  });

  it('that is silent when the client is closed keeps no release waiting, whatever late votes may come', async () => {
    const name = freshName();
    const client = open();
    await within(client.connect());
    for (const node of [3, 4]) world.links[node]?.freeze();
    const hold = await within(client.getRedLock(name).acquire());
    world.links[2]?.freeze();
    const release = hold.release().then(
      () => 'released',
      (error: unknown) => error,
    );
    await within(client.close());
    expect(await within(release)).toBeDefined();
  });

  it.each([
    ['die', (node: number) => world.kill(node)],
    ['refuse to serve for long', (node: number) => world.servers[node]?.refuse({ code: 'BUSY' })],
  ])('may %s with the node in line: who waits there goes to the next one, and gets the lock', async (__, fault) => {
    const name = freshName();
    const [mine, theirs] = [await warmed(name), await warmed(name)];
    const hold = await within(mine.acquire());
    const call = theirs.acquire();
    await world.until(async () => (await world.waiters(name, 'queue')) === 1, 'a waiter');
    const line = await world.lineOf(name);
    fault(line);
    const others = world.admins.filter((_, node) => node !== line);
    const elsewhere = async () =>
      (await Promise.all(others.map((admin) => admin.zcard(`holdfast_queue:{${name}}`)))).includes(1);
    await world.until(elsewhere, 'the waiter to stand in another line');
    await within(hold.release());
    await within((await within(call)).release());
  });
});

it('a node that is silent from the start is waited for no longer because another one is dead', async () => {
  const nodeTimeoutMs = 1_000;
  const call = async (client: RedLockClient) => {
    const calledAt = world.clock.now();
    await within(client.getRedLock(freshName()).acquire());
    return world.clock.now() - calledAt;
  };
  const clients = [1, 2].map(() => open({ watchdogTimeoutMs: 20_000, nodeTimeoutMs })) as [
    RedLockClient,
    RedLockClient,
  ];
  world.links[4]?.freeze();
  expect(await call(clients[0])).toBe(nodeTimeoutMs);
  // Who connects to it is refused again and again.
  world.kill(3);
  expect(await call(clients[1])).toBeLessThanOrEqual(nodeTimeoutMs + 10);
});

describe('a majority of the nodes', () => {
  it.each([
    ['dead', (node: number) => world.kill(node)],
    ['silent', (node: number) => world.links[node]?.freeze()],
  ])('that is %s is LockUnavailableError for every call', async (_, fault) => {
    const name = freshName();
    const lock = await warmed(name);
    for (const node of [0, 2, 4]) fault(node);
    for (const call of [() => lock.tryLock(), () => lock.tryLock(500), () => lock.lock(), () => lock.isLocked()]) {
      const error = await within(failureOf(call()));
      expect(error).toBeInstanceOf(LockUnavailableError);
      expect(String(error)).toMatch(/nodes/);
    }
  });

  it('is told of node by node, whatever is wrong with each', async () => {
    world.kill(0);
    world.links[2]?.freezeAt('info', 1);
    world.kill(3);
    const error = await within(failureOf(open({ attemptTimeoutMs: 300 }).getRedLock('report').tryLock()));
    expect(String(error)).toMatch(
      /about lock "report": 2 of 5 nodes can vote, and 3 must \(node-0:\d+: nothing listens.*; node-2:\d+: it does not answer; node-3:\d+: nothing listens/,
    );
  });

  it('that falls silent before it has said what it is, is LockUnavailableError too', async () => {
    const lock = open({ attemptTimeoutMs: 300 }).getRedLock(freshName());
    // The first one is asked by ioredis, and belongs to making the connection.
    for (const node of [0, 2, 4]) world.links[node]?.freezeAt('info', 2);
    for (const call of [() => lock.tryLock(), () => lock.tryLock(500), () => lock.lock()])
      expect(await within(failureOf(call()))).toBeInstanceOf(LockUnavailableError);
  });

  const die = (node: number) => world.kill(node);
  const refuse = (node: number) => world.servers[node]?.refuse({ code: 'BUSY' });
  it.each([
    ['refuses to serve', [refuse, refuse, refuse]],
    ['is dead or refuses to serve', [die, die, refuse]],
  ])('that %s is LockUnavailableError too, whenever that is said, and not a busy lock', async (_, faults) => {
    const lock = await warmed(freshName());
    faults.forEach((fault, index) => fault(2 * index));
    // Between one round and the next nobody is asked.
    const waits = Array.from({ length: 12 }, (__, index) => 500 + 10 * index);
    for (const error of await within(Promise.all([0, ...waits].map((waitMs) => failureOf(lock.tryLock(waitMs))))))
      expect(error).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.stringMatching(/has refused to answer.*BUSY/),
      });
  });

  it('that has refused to serve is LockUnavailableError until it says otherwise: while a question is undone, and while the next one has no answer', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.9);
    const times = { nodeTimeoutMs: 1_000, attemptTimeoutMs: 20_000, responseTimeoutMs: 20_000 };
    const lock = await warmed(freshName(), { watchdogTimeoutMs: 20_000, ...times });
    for (const node of [0, 2, 4]) refuse(node);
    // The next round begins after 2,400 ms.
    world.clock.setTimer(() => world.links.forEach((link) => link.freeze()), 2_300);
    const waits = Array.from({ length: 28 }, (_, index) => 200 + 100 * index);
    const failures = await within(Promise.all(waits.map((waitMs) => failureOf(lock.tryLock(waitMs)))));
    random.mockRestore();
    expect(failures).toMatchObject(waits.map(() => ({ code: 'LOCK_UNAVAILABLE' })));
  });

  it('that answers too late each time it is asked keeps no single attempt', async () => {
    const lock = await warmed(freshName());
    let isOver = false;
    const beat = () => {
      for (const link of world.links) link.thaw();
      if (isOver) return;
      for (const link of world.links) link.freeze();
      world.clock.setTimer(beat, 100);
    };
    beat();
    expect(await within(lock.tryLock())).toBe(false);
    isOver = true;
  });

  it('that is neither old enough nor answers is LockUnavailableError too', async () => {
    for (const node of [0, 3]) {
      world.kill(node);
      world.servers[node]?.restart('data lost');
      world.start(node);
    }
    const lock = await warmed(freshName());
    for (const node of [1, 2]) world.links[node]?.freeze();
    for (const call of [() => lock.tryLock(), () => lock.tryLock(500)])
      expect(await within(failureOf(call()))).toBeInstanceOf(LockUnavailableError);
  });

  it.each([
    ['dies', (node: number) => world.kill(node)],
    ['falls silent', (node: number) => world.links[node]?.freeze()],
  ])('that %s under a hold ends it before its validity does, and everywhere', async (_, fault) => {
    const name = freshName();
    const hold = await within((await warmed(name)).acquire());
    const { signal } = hold;
    let abortedAt = Number.POSITIVE_INFINITY;
    signal.addEventListener('abort', () => (abortedAt = world.clock.now()));
    const validUntil = world.clock.now() + hold.remainingMs();
    for (const node of [0, 2, 4]) fault(node);
    await world.until(() => signal.aborted, 'the loss');
    // Time goes in steps.
    expect(abortedAt).toBeLessThanOrEqual(validUntil + 5);
    expect(signal.reason).toMatchObject({ reason: 'unreachable' });
    await world.pass(50);
    expect((await takenOn(name)).filter((node) => node % 2 === 1)).toEqual([]);
    expect(await within(failureOf(hold.release()))).toBeInstanceOf(LockLostError);
  });
});

describe('a node that was restarted', () => {
  it('counts for nobody before every lease is over that it may have forgotten', async () => {
    const name = freshName();
    const [mine, theirs] = [world.ownLinks(), world.ownLinks()];
    // The one node that both can reach forgets the vote of the first client, which is not told.
    for (const node of [3, 4]) mine[node]?.refuse();
    for (const node of [0, 1]) theirs[node]?.refuse();
    const hold = await within(world.open({ watchdogTimeoutMs: LEASE_MS }, mine).getRedLock(name).acquire());
    expect(await takenOn(name)).toEqual([0, 1, 2]);
    mine[2]?.freeze();
    world.servers[2]?.restart('data lost');
    let stateOnArrival = '';
    const other = world.open({ watchdogTimeoutMs: LEASE_MS }, theirs).getRedLock(name);
    const call = other.acquire().then((next) => {
      stateOnArrival = hold.state;
      return next;
    });
    await within((await within(call)).release());
    expect(stateOnArrival).toBe('lost');
  });

  it.each<[string, { readonly before?: (way: Link) => Promise<void>; readonly after?: (way: Link) => Promise<void> }]>([
    ['that was connected to it', {}],
    [
      'that was cut off from it for long before',
      {
        before: async (way) => {
          way.refuse();
          world.servers[2]?.hangUp();
          await world.pass(3 * LEASE_MS);
        },
        after: async (way) => way.accept(),
      },
    ],
    [
      'whose connection is lost once more',
      {
        after: async () => {
          await world.pass(200);
          world.servers[2]?.hangUp();
        },
      },
    ],
  ])('and whose clock was then set forward by an hour is no older for a client %s', async (_, { before, after }) => {
    const name = freshName();
    const [mine, theirs] = [world.ownLinks(), world.ownLinks()];
    for (const node of [3, 4]) mine[node]?.refuse();
    for (const node of [0, 1]) theirs[node]?.refuse();
    const other = world.open({ watchdogTimeoutMs: LEASE_MS }, theirs);
    await within(other.connect());
    const way = theirs[2] as Link;
    await before?.(way);
    const hold = await within(world.open({ watchdogTimeoutMs: LEASE_MS }, mine).getRedLock(name).acquire());
    expect(await takenOn(name)).toEqual([0, 1, 2]);
    mine[2]?.freeze();
    world.servers[2]?.restart('data lost');
    await after?.(way);
    world.stepClock(2, 3_600_000);
    let stateOnArrival = '';
    const call = other
      .getRedLock(name)
      .acquire()
      .then((next) => {
        stateOnArrival = hold.state;
        return next;
      });
    await within((await within(call)).release());
    expect(stateOnArrival).toBe('lost');
  });

  it('is named as the reason, when so many of them were', async () => {
    const client = open();
    await within(client.connect());
    for (const node of [0, 1, 2]) world.servers[node]?.restart('data lost');
    await world.pass(100);
    expect(client.nodes.map(({ state }) => state)).toEqual(['young', 'young', 'young', 'may vote', 'may vote']);
    const error = await within(failureOf(client.getRedLock(freshName()).tryLock()));
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(String(error)).toMatch(/2 of 5 nodes can vote, and 3 must \(node-0:.*started too short a time ago/);
    // It passes by itself.
    await within(client.connect());
    expect(await within(client.getRedLock(freshName()).tryLock())).toBe(true);
  });
});

describe('waiting', () => {
  it('polls no node: one question in each re-ask period, at the node in line, one in ten seconds at the others, and a message brings the lock', async () => {
    const name = freshName();
    const [mine, theirs] = [await warmed(name), await warmed(name)];
    const hold = await within(mine.acquire({ leaseMs: LEASE_MS }));
    await within(hold.release());
    const kept = await within(mine.acquire());
    const call = theirs.acquire();
    await world.until(async () => (await world.waiters(name, 'queue')) === 1, 'a waiter');
    await world.pass(100);
    const line = await world.lineOf(name);
    const before = world.links.map(({ scripts }) => scripts);
    const renewed = mine.name === theirs.name ? 30_000 / (LEASE_MS / 3) : 0;
    await world.pass(30_000);
    const sent = world.links.map(({ scripts }, node) => scripts - (before[node] as number));
    // The holder's renewals, and behind them the questions of who waits: the first at the others comes early.
    for (const node of NODES) if (node !== line) expect(sent[node]).toBeLessThanOrEqual(renewed + 3 + 4);
    expect(sent[line]).toBeLessThanOrEqual(renewed + 3 + 30_000 / 1_000);
    await within(kept.release());
    const releasedAt = world.clock.now();
    const next = await within(call);
    expect(world.clock.now() - releasedAt).toBeLessThan(100);
    await within(next.release());
  });

  it('hardly asks a node more often that has not voted for the holder', async () => {
    const name = freshName();
    const long = { longestLeaseMs: 60_000 };
    const [mine, theirs] = [await warmed(name, long), await warmed(name)];
    const kept = await within(mine.acquire({ leaseMs: 60_000 }));
    await world.until(async () => (await takenOn(name)).length === NODES.length, 'all nodes to vote');
    const call = theirs.acquire();
    await world.until(async () => (await world.waiters(name, 'queue')) === 1, 'a waiter');
    const line = await world.lineOf(name);
    const free = NODES.find((node) => node !== line) as number;
    await world.admins[free]?.del(name);
    const before = world.links.map(({ scripts }) => scripts);
    await world.pass(30_000);
    // Each time after twice the time, until that is ten seconds; what is voted is given back.
    for (const node of NODES)
      if (node !== line) expect((world.links[node]?.scripts ?? 0) - (before[node] as number)).toBeLessThanOrEqual(60);
    await within(kept.release());
    await within((await within(call)).release());
  });
});

it('a call whose time is over is not told to ask inspect(), which a client of several nodes has not', async () => {
  const name = freshName();
  await within((await warmed(name)).acquire());
  const error = await within(failureOf((await warmed(name)).acquire({ waitMs: 100 })));
  expect(String(error)).toMatch(/stayed busy for \d+ ms$/);
});

describe('a lock that is free', () => {
  it('costs two commands on each node, and leaves nothing there', async () => {
    const name = freshName();
    const lock = await warmed(name);
    await within(lock.withLock(() => undefined));
    await world.pass(100);
    const before = world.links.map(({ scripts }) => scripts);
    for (let cycle = 0; cycle < 20; cycle++) await within(lock.withLock(() => undefined));
    await world.pass(100);
    expect(world.links.map(({ scripts }, node) => scripts - (before[node] as number))).toEqual(NODES.map(() => 40));
    expect((await Promise.all(world.admins.map((admin) => admin.keys('*')))).flat()).toEqual([]);
  });
});

describe('a client that waits', () => {
  it('is not overtaken by one that comes when the lock is given back', async () => {
    // Who waits for it stands in line at the last node, so the newcomer has the votes of the others before that one says no.
    const name = 'report';
    const ways = world.ownLinks();
    const mine = await warmed(name);
    const hold = await within(mine.acquire());
    const call = world.open({ watchdogTimeoutMs: LEASE_MS }, ways).getRedLock(name).acquire();
    await world.until(async () => (await world.waiters(name, 'queue')) === 1, 'a waiter');
    expect(await world.lineOf(name)).toBe(4);
    const newcomer = await warmed(name);
    // It has not heard yet that it is next.
    for (const way of ways) way.freeze();
    await within(hold.release());
    expect(await within(newcomer.tryLock())).toBe(false);
    for (const way of ways) way.thaw();
    await within((await within(call)).release());
  });
});

describe('a lock that nobody has but on the node in line', () => {
  const name = 'report';
  const LINE = 4;
  const long = { watchdogTimeoutMs: 30_000 };
  /** Somebody has the lock there who will not give it back. */
  const takenInLine = () => world.admins[LINE]?.hset(name, `${randomUUID()}:1`, '1');
  /** A hold whose client is then cut off from the node in line. */
  const cutOff = async () => {
    const ways = world.ownLinks();
    const client = world.open(long, ways);
    await within(client.connect());
    const hold = await within(client.getRedLock(name).acquire());
    await world.until(async () => (await takenOn(name)).length === NODES.length, 'all nodes to vote');
    return { hold, cut: () => ways[LINE]?.freeze() };
  };
  const since = async (call: Promise<Hold>) => {
    const begunAt = world.clock.now();
    const hold = await within(call);
    return { hold, tookMs: world.clock.now() - begunAt };
  };

  it('is had by who comes, in a moment', async () => {
    const lock = await warmed(name, long);
    await takenInLine();
    const { hold, tookMs } = await since(lock.acquire());
    expect(tookMs).toBeLessThan(1_000);
    expect(await takenOn(name)).toEqual(NODES);
    await within(hold.release());
    await world.until(async () => (await takenOn(name)).length === 1, 'the others to be free');
  });

  it('since its last owner could not give it back there, is had by who comes, in a moment', async () => {
    const { hold: kept, cut } = await cutOff();
    const lock = await warmed(name, long);
    cut();
    await within(kept.release());
    expect(await takenOn(name)).toEqual([LINE]);
    const { hold, tookMs } = await since(lock.acquire());
    expect(tookMs).toBeLessThan(1_000);
    await within(hold.release());
  });

  it('since its last owner could not give it back there, is had by who has waited for long, before the lease is over there', async () => {
    const { hold: kept, cut } = await cutOff();
    const call = (await warmed(name, long)).acquire();
    await world.pass(15_000);
    cut();
    await within(kept.release());
    const { hold, tookMs } = await since(call);
    expect(tookMs).toBeLessThan(11_000);
    await within(hold.release());
  });

  it('is had by all who wait in that line, one at a time', async () => {
    const locks = [await warmed(name, long), await warmed(name, long), await warmed(name, long)];
    await takenInLine();
    let most = 0;
    let inside = 0;
    const sections = locks.map((lock) =>
      lock.withLock(async () => {
        most = Math.max(most, ++inside);
        await new Promise<void>((resolve) => void world.clock.setTimer(resolve, 20));
        inside--;
      }),
    );
    const begunAt = world.clock.now();
    await within(Promise.all(sections));
    expect({ most, inTime: world.clock.now() - begunAt < 35_000 }).toEqual({ most: 1, inTime: true });
  });

  it('since the one that is next there has only just heard of it, is not had by another one that asks the others before it', async () => {
    const [first, second] = [world.ownLinks(), world.ownLinks()];
    const kept = await within((await warmed(name)).acquire());
    const order: string[] = [];
    const wait = (who: string, ways: Link[]) =>
      world
        .open({ watchdogTimeoutMs: LEASE_MS }, ways)
        .getRedLock(name)
        .withLock(() => void order.push(who));
    const calls = [wait('first', first)];
    await world.until(async () => (await world.waiters(name, 'queue')) === 1, 'a waiter');
    calls.push(wait('second', second));
    await world.until(async () => (await world.waiters(name, 'queue')) === 2, 'two waiters');
    for (const way of first) way.freeze();
    await within(kept.release());
    await world.until(async () => (await takenOn(name)).length === NODES.length, 'the second one to look');
    for (const way of first) way.thaw();
    await within(Promise.all(calls));
    expect(order).toEqual(['first', 'second']);
  });
});

describe('bad nodes', () => {
  it('that are one server are found out before they have two votes', async () => {
    const ways = world.ownLinks();
    ways[3] = ways[0] as (typeof ways)[number];
    const error = await within(failureOf(world.open({}, ways).getRedLock(freshName()).tryLock()));
    expect(error).toBeInstanceOf(LockNodesError);
    expect(error).toMatchObject({ lockName: expect.stringMatching(/^lock-/) });
    expect(String(error)).toMatch(/nodes\[0\] and nodes\[3\] are the same server/);
  });

  it.each<[string, object, RegExp]>([
    ['none', { nodes: undefined }, /nodes must be an array/],
    ['two', { nodes: ['redis://a', 'redis://b'] }, /3 independent servers at least, got 2/],
    ['four', { nodes: ['redis://a', 'redis://b', 'redis://c', 'redis://d'] }, /odd number/],
    ['one twice', { nodes: ['redis://a', 'redis://b', 'redis://a'] }, /nodes\[0\] and nodes\[2\] are the same server/],
    [
      'a sentinel',
      { nodes: [{ sentinels: [{ host: 'a' }], name: 'm' }, 'redis://b', 'redis://c'] },
      /must be one server/,
    ],
    ['null', { nodes: [null, 'redis://b', 'redis://c'] }, /^nodes\[0\] must be a redis:/],
    ['null, three times', { nodes: [null, null, null] }, /^nodes\[0\] must be a redis:/],
    ['a number', { nodes: ['redis://a', 2, 'redis://c'] }, /^nodes\[1\] must be a redis:/],
    ['no place', { nodes: ['redis://a', 'redis://b', {}] }, /^nodes\[2\]: no place; say where Redis is/],
    ['no sentinel', { nodes: [{ sentinels: [] }, 'redis://b', 'redis://c'] }, /^nodes\[0\]: .*sentinel/],
    ['a misspelt option', { nodeTimeout: 50 }, /unknown option "nodeTimeout"/],
    ['replicas', { replicas: { min: 1 } }, /unknown option "replicas"/],
    ['a longest lease below the watched one', { longestLeaseMs: 1_000 }, /longestLeaseMs must not be below/],
    ['a longest lease that is null', { longestLeaseMs: null }, /longestLeaseMs must be .* got null/],
    ['more validity than a lease can have', { minValidityMs: 29_000 }, /minValidityMs must be at most 22500/],
  ])('are refused when the client is made: %s', (_, options, message) => {
    const make = () => createRedLockClient({ nodes: ['redis://a', 'redis://b', 'redis://c'], ...options } as never);
    expect(make).toThrow(message);
  });

  it('a lease longer than the nodes can be trusted for is refused before anything is sent', async () => {
    const lock = await warmed(freshName(), { longestLeaseMs: 5_000 });
    const refused = { code: 'LOCK_LIMIT', limit: 'leaseMs', message: expect.stringContaining('longestLeaseMs allows') };
    expect(await within(failureOf(lock.lock(5_001)))).toMatchObject(refused);
  });

  it.each(['run', 'exit'] as const)('what is no function is refused by %s, with its name', (method) => {
    const client = createRedLockClient({ nodes: ['redis://a:1', 'redis://b:1', 'redis://c:1'] });
    expect(() => client[method](5 as never)).toThrow(`client.${method} needs a function to run, got number`);
    return client.close();
  });
});

describe('under faults of all kinds', () => {
  it.each([1, 2, 3, 4])(
    'no two clients ever believe that they have the lock, and every call ends (seed %i)',
    async (seed) => {
      let state = seed * 7_919;
      const draw = (below: number) => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      const name = freshName();
      const believers = new Set<Hold>();
      let most = 0;
      let sections = 0;
      const room = new Room();
      const clients = [0, 1, 2].map(() => open({ attemptTimeoutMs: 500, responseTimeoutMs: 2_000 }));
      let isOver = false;
      const work = async (lock: RLock, leaseMs: number | undefined) => {
        while (!isOver) {
          const hold = await lock
            .acquire({ waitMs: 1_500, ...(leaseMs === undefined ? {} : { leaseMs }) })
            .catch(() => undefined);
          if (hold === undefined) continue;
          sections++;
          believers.add(hold);
          most = Math.max(most, [...believers].filter((one) => one.state === 'held' || one.state === 'suspect').length);
          const end = world.clock.now() + 10 + draw(1_500);
          await room.visit(() =>
            world.until(() => world.clock.now() >= end || hold.signal.aborted, 'the end of a section'),
          );
          believers.delete(hold);
          await hold.release().catch(() => undefined);
        }
      };
      const tasks = clients.flatMap((client, index) => [
        work(client.getRedLock(name), undefined),
        work(client.getRedLock(name), index === 0 ? 1_000 : undefined),
      ]);
      for (let fault = 0; fault < 25; fault++) {
        const node = draw(5);
        const kind = draw(4);
        if (kind === 0) world.kill(node);
        else if (kind === 1) world.links[node]?.freeze();
        else world.servers[node]?.restart(kind === 2 ? 'data lost' : 'data kept');
        await world.pass(200 + draw(1_500));
        if (draw(3) === 0) continue;
        world.links[node]?.thaw();
        world.start(node);
      }
      for (const node of NODES) {
        world.links[node]?.thaw();
        world.start(node);
      }
      await world.pass(2 * LEASE_MS);
      isOver = true;
      await within(Promise.all(tasks));
      expect({ most, enough: sections > 10 }).toEqual({ most: 1, enough: true });
    },
    60_000,
  );
});
