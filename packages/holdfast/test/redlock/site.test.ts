/** Locks by majority on five real servers. How time decides is tested in `nodes.test.ts`, where it is driven. */

import { waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type Hold, LockLostError, LockUnavailableError, type RLock } from 'holdfast';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { redlockSite } from '../support/redlock-site.js';

const LEASE_MS = 1_500;
const site = redlockSite({ watchdogTimeoutMs: LEASE_MS });
const server = (node: number) => site.servers[node] as NonNullable<(typeof site.servers)[number]>;
const proxy = (node: number) => site.proxies[node] as NonNullable<(typeof site.proxies)[number]>;
const until = (condition: () => boolean | Promise<boolean>, what: string) =>
  waitUntil(condition, { what, timeoutMs: 60_000 });

describe('on five servers', () => {
  it('one client has the lock at a time while nodes are killed, stopped, cut off and restarted', async () => {
    const name = freshName();
    const clients = await Promise.all([site.open(), site.open(), site.open()]);
    const believers = new Set<Hold>();
    let most = 0;
    let sections = 0;
    let isOver = false;
    const work = async (lock: RLock) => {
      while (!isOver) {
        const hold = await lock.acquire({ waitMs: 5_000 }).catch(() => undefined);
        if (hold === undefined) continue;
        sections++;
        believers.add(hold);
        most = Math.max(most, [...believers].filter((one) => one.remainingMs() > 0).length);
        await Promise.race([new Promise((resolve) => setImmediate(resolve)), hold.release().catch(() => undefined)]);
        believers.delete(hold);
      }
    };
    const tasks = clients.flatMap((client) => [work(client.getRedLock(name)), work(client.getRedLock(name))]);
    const goOn = async () => {
      const before = sections;
      await until(() => sections >= before + 10, 'ten more sections');
    };
    await goOn();
    await server(0).kill();
    await goOn();
    await server(1).stopProcess();
    await goOn();
    await server(0).restart();
    await server(1).continueProcess();
    proxy(2).blackHole();
    await goOn();
    await server(3).restart();
    await proxy(2).heal();
    await goOn();
    isOver = true;
    await Promise.all(tasks);
    expect(most).toBe(1);
  }, 120_000);

  it('a majority that stands still is unavailable, ends a hold in time, and gives nobody else the lock when it goes on', async () => {
    const name = freshName();
    const [mine, theirs] = await Promise.all([
      site.open({ attemptTimeoutMs: 300 }),
      site.open({ attemptTimeoutMs: 300 }),
    ]);
    const hold = await mine.getRedLock(name).acquire();
    let leftMs: number | undefined;
    const before = performance.now() + hold.remainingMs();
    hold.signal.addEventListener('abort', () => (leftMs = before - performance.now()));
    for (const node of [0, 1, 2]) await server(node).stopProcess();
    expect(
      await theirs
        .getRedLock(name)
        .tryLock(200)
        .catch(() => false),
    ).toBe(false);
    await until(() => hold.signal.aborted, 'the loss');
    expect(hold.state).toBe('lost');
    // Until the nodes that answer have been given back, they may truly say that the lock is taken: so they may to an attempt or two.
    await until(async () => !(await site.takenOn(name, [3, 4])).length, 'the others to be given back');
    const said: unknown[] = [];
    const isUnavailable = async () => {
      said.push(
        await theirs
          .getRedLock(name)
          .tryLock()
          .catch((error: unknown) => error),
      );
      return said.at(-1) instanceof LockUnavailableError;
    };
    await until(isUnavailable, 'the lock to be unavailable');
    expect(said).not.toContain(true);
    for (const node of [0, 1, 2]) await server(node).continueProcess();
    expect(await failureOf(hold.release())).toBeInstanceOf(LockLostError);
    const next = await theirs.getRedLock(name).acquire();
    expect(await mine.getRedLock(name).tryLock()).toBe(false);
    await next.release();
    expect(leftMs).toBeDefined();
  }, 60_000);

  it('a node that stood still when the lock was given back is freed when it goes on', async () => {
    const name = freshName();
    const hold = await (await site.open()).getRedLock(name).acquire();
    await until(async () => (await site.takenOn(name)).length === 5, 'all nodes to vote');
    await server(2).stopProcess();
    await hold.release();
    await server(2).continueProcess();
    await until(async () => (await site.takenOn(name)).length === 0, 'all nodes to be free');
  }, 60_000);

  it('a durable node that was restarted votes at once, and still knows who has the lock', async () => {
    const name = freshName();
    // Leases that no restart outlasts, however busy the machine is.
    const options = { durable: true, watchdogTimeoutMs: 15_000 };
    const [mine, theirs] = await Promise.all([site.open(options), site.open(options)]);
    const hold = await mine.getRedLock(name).acquire();
    await until(async () => (await site.takenOn(name)).length === 5, 'all nodes to vote');
    await (await server(4).admin()).pexpire(name, 600_000);
    const stateOf = (node: number) => theirs.nodes[node]?.state;
    await server(1).restart();
    await until(() => stateOf(1) === 'young', 'the node that may have forgotten to be known');
    const states = new Set<unknown>();
    const left = until(() => stateOf(4) !== 'may vote', 'the durable node to be missed');
    await Promise.all([left, server(4).restart()]);
    await until(() => states.add(stateOf(4)).has('may vote'), 'the durable node to be known');
    expect(states).not.toContain('young');
    expect(await site.takenOn(name)).toContain(4);
    expect(await theirs.getRedLock(name).tryLock()).toBe(false);
    await hold.release();
    await theirs.getRedLock(name).lock();
    await theirs.getRedLock(name).forceUnlock();
  }, 60_000);
});
