import { type RedisKit, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { LockLostError } from 'holdfast';
import { holdfast } from '../cli/terminal.js';
import { JavaError } from './java-peer.js';
import { report } from './figures.js';
import { channelOf, freshName, type Site } from './site.js';

/** Force unlock and crashes of one side, seen by the other. */
export function loss(site: () => Site): void {
  const takeByCommandLine = async (name: string) => {
    const { topology, nodes } = site();
    const kit = { server: { url: nodes[0] } } as unknown as RedisKit;
    const args = ['unlock', name, '--yes', ...(topology === 'cluster' ? ['--cluster'] : [])];
    expect(await holdfast(kit, args)).toMatchObject({ code: 0, errors: '' });
  };

  describe('force unlock', () => {
    it("by Node: Java's unlock throws, as Redisson's does", async () => {
      const name = freshName();
      const thread = site().thread();
      await thread.lock(name);
      expect(await site().client().getLock(name).forceUnlock()).toBe(true);
      expect(await thread.isHeldByCurrentThread(name)).toBe(false);
      const error = await thread.unlock(name).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(JavaError);
      expect(error).toMatchObject({ name: 'IllegalMonitorStateException' });
    });

    it('by Java: the hold of Node is told within a renewal interval, and its release says so', async () => {
      const name = freshName();
      const watchdogTimeoutMs = 3_000;
      const hold = await site().client({ watchdogTimeoutMs }).getLock(name).acquire();
      const { signal } = hold;
      const forcedAt = performance.now();
      expect(await site().thread().forceUnlock(name)).toBe(true);
      await waitUntil(() => signal.aborted, { what: 'the signal' });
      const tookMs = performance.now() - forcedAt;
      // A third of the lease, and room for a busy machine.
      expect(tookMs).toBeLessThan(watchdogTimeoutMs / 3 + 1_000);
      expect(signal.reason).toMatchObject({ reason: 'deleted' });
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError);
      report({
        where: site().where,
        what: 'a Node hold is told of a force unlock by Java',
        value: `${tookMs.toFixed(0)} ms; renewal every ${watchdogTimeoutMs / 3} ms`,
      });
    });

    it('by Java, and Java takes the lock: the hold of Node is told that it was taken', async () => {
      const name = freshName();
      const thread = site().thread();
      const hold = await site().client({ watchdogTimeoutMs: 3_000 }).getLock(name).acquire();
      const { signal } = hold;
      await thread.forceUnlock(name);
      await thread.lock(name);
      await waitUntil(() => signal.aborted, { what: 'the signal' });
      expect(signal.reason).toMatchObject({ reason: 'taken' });
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError);
      expect(await thread.isHeldByCurrentThread(name)).toBe(true);
      await thread.unlock(name);
    });

    it.each([
      ['fair', 'fair'],
      ['write', 'read'],
      ['read', 'write'],
    ] as const)('by the command line, of a %s lock: Java that waits for the %s one has it', async (had, wanted) => {
      const name = freshName();
      const [holder, waiter] = [site().thread(), (await site().startJava()).thread('waiter')];
      const own = wanted === 'fair' ? `${channelOf(name)}:${await waiter.ownField()}` : `redisson_rwlock:{${name}}`;
      await holder.lock(name, { kind: had });
      const waiting = waiter.lock(name, { kind: wanted });
      await site().listened('java', own);
      await takeByCommandLine(name);
      const takenAt = performance.now();
      await waiting;
      expect(performance.now() - takenAt).toBeLessThan(5_000);
      await waiter.unlock(name, { kind: wanted });
    });

    it('of a free lock answers false on both sides', async () => {
      const name = freshName();
      expect(await site().thread().forceUnlock(name)).toBe(false);
      expect(await site().client().getLock(name).forceUnlock()).toBe(false);
    });
  });

  describe('a crash', () => {
    const watchdogTimeoutMs = 1_500;

    /** How long after the end of the crashed holder's lease somebody had the lock. */
    const served = async (what: string, name: string, waiting: Promise<unknown>) => {
      const leaseEnds = performance.now() + Math.max(0, await site().pttl(name));
      await waiting;
      const lateMs = performance.now() - leaseEnds;
      expect(lateMs).toBeLessThan(1_000);
      report({ where: site().where, what, value: `${lateMs.toFixed(0)} ms after the end of the lease` });
    };

    it('of Java with the lock: Node has it when the lease has run out', async () => {
      const name = freshName();
      const java = await site().startJava({ watchdogTimeoutMs });
      await java.thread('holder').lock(name);
      const waiting = site().client().getLock(name).acquire();
      await site().listened('node', channelOf(name));
      await java.kill();
      await served('Node has the lock of a crashed JVM', name, waiting);
      await (await waiting).release();
    });

    it('of Node with the lock: Java has it when the lease has run out', async () => {
      const name = freshName();
      const node = await site().startNode({ watchdogTimeoutMs });
      await node.call('acquire', name);
      const thread = site().thread();
      const waiting = thread.lock(name);
      await site().listened('java', channelOf(name));
      node.kill('SIGKILL');
      await node.exited;
      await served('Java has the lock of a crashed Node process', name, waiting);
      await thread.unlock(name);
    });

    it('of one that waits is in the way of nobody', async () => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client().getLock(name);
      const [java, node] = await Promise.all([site().startJava(), site().startNode()]);
      const hold = await lock.acquire();
      void java.thread('waiter').lock(name);
      await site().listened('java', channelOf(name));
      const before = await site().listeners(channelOf(name));
      void node.call('acquire', name);
      await waitUntil(async () => (await site().listeners(channelOf(name))) > before, { what: 'both wait' });
      await java.kill();
      await node.stop();
      await hold.release();
      await thread.lock(name);
      await thread.unlock(name);
      expect(await lock.tryLock()).toBe(true);
      await lock.unlock();
    });
  });
}
