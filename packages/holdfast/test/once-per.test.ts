import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient } from 'holdfast';
import { createTestClient } from 'holdfast/testing';
import type { TestSite } from '../src/testing/test-server.js';
import { freshName } from './support/clients.js';
import { failureOf } from './support/outcomes.js';
import { spawnLockWorker } from './support/workers.js';

const HOUR_MS = 3_600_000;
const notRun = { ran: false };

/** A job that stops when its lock is lost. */
const untilLost = ({ signal }: Hold) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('client.oncePer', () => {
  const kit = useRedis();

  /** Two replicas of one service. */
  function replicas() {
    const one = createTestClient();
    const two = createTestClient({ server: one.server });
    kit.cleanup(async () => {
      await two.close();
      await one.close();
    });
    return { one, two };
  }
  let runs = 0;
  const run = (locks: LockClient) => locks.oncePer('report', HOUR_MS, () => ++runs);

  it('runs once in a period, which begins with the run: a tick that comes early is turned away', async () => {
    const { one, two } = replicas();
    runs = 0;
    expect(await Promise.all([run(one), run(two)])).toEqual([{ ran: true, value: 1 }, notRun]);
    await one.advance(HOUR_MS - 1_000);
    expect(await Promise.all([run(one), run(two)])).toEqual([notRun, notRun]);
    await one.advance(2_000);
    expect(await run(two)).toEqual({ ran: true, value: 2 });
    expect(await two.getLock('report').isLocked()).toBe(true);
    expect(await one.getLock('report').forceUnlock()).toBe(true);
    expect(await run(one)).toEqual({ ran: true, value: 3 });
  });

  it('keeps the period for who ran it however long that took, and never runs two at a time', async () => {
    const { one, two } = replicas();
    let end: () => void = () => undefined;
    const job = one.oncePer('report', HOUR_MS, () => new Promise<void>((resolve) => (end = resolve)));
    await one.advance(HOUR_MS / 2);
    expect(await run(two)).toEqual(notRun);
    await one.advance(HOUR_MS + 1_000);
    expect(await run(two)).toEqual(notRun);
    end();
    expect(await job).toEqual({ ran: true, value: undefined });
    expect(await run(two)).toMatchObject({ ran: true });
  });

  it('when the function fails uses the period up, unless it is to be tried again', async () => {
    const { one, two } = replicas();
    const boom = new Error('boom');
    const fail = () => Promise.reject(boom);
    expect(await failureOf(one.oncePer('report', HOUR_MS, fail, { afterError: 'retry' }))).toBe(boom);
    expect(await failureOf(two.oncePer('report', HOUR_MS, fail))).toBe(boom);
    expect(await run(one)).toEqual(notRun);
    await one.advance(HOUR_MS + 1_000);
    expect(await run(one)).toMatchObject({ ran: true });
  });

  it('is tried again also when a hold inside it was still open as it failed, and is given back', async () => {
    const { one, two } = replicas();
    const inner: Hold[] = [];
    const fail = async () => {
      inner.push(await one.getLock('report').acquire());
      throw new Error('boom');
    };
    await failureOf(one.oncePer('report', HOUR_MS, fail, { afterError: 'retry' }));
    expect(await run(two)).toEqual(notRun);
    await inner[0]?.release();
    expect(await run(two)).toMatchObject({ ran: true });
  });

  it.each([undefined, 60_000])(
    'uses the period up when the client is closed over the run, drained for %s ms, also where a failed one is tried again',
    async (drainMs) => {
      const { one, two } = replicas();
      const job = failureOf(one.oncePer('report', HOUR_MS, untilLost, { afterError: 'retry' }));
      await one.advance(HOUR_MS / 2);
      await one.close({ drainMs });
      expect(await job).toMatchObject({ code: 'LOCK_LOST', reason: 'closed' });
      expect(await two.inspect('report')).toMatchObject({ owner: { resting: true } });
      expect(await run(two)).toEqual(notRun);
      await two.advance(HOUR_MS / 2 + 1_000);
      expect(await run(two)).toMatchObject({ ran: true });
    },
  );

  it('does not keep the name for longer when the client is closed over a run that took longer than the period', async () => {
    const { one, two } = replicas();
    const job = failureOf(one.oncePer('report', HOUR_MS, untilLost));
    await one.advance(HOUR_MS + 1_000);
    await one.close();
    await job;
    expect(await run(two)).toMatchObject({ ran: true });
  });

  it('uses the period up when the run is ended by the maxHoldMs of its client', async () => {
    const one = createTestClient({ maxHoldMs: 60_000 });
    const two = createTestClient({ server: one.server });
    kit.cleanup(async () => {
      await two.close();
      await one.close();
    });
    const job = failureOf(one.oncePer('report', HOUR_MS, untilLost));
    await one.advance(61_000);
    expect(await job).toMatchObject({ code: 'LOCK_LOST', reason: 'max-hold' });
    expect([await run(one), await run(two)]).toEqual([notRun, notRun]);
    await one.advance(HOUR_MS);
    expect(await run(two)).toMatchObject({ ran: true });
  });

  it('uses the period up when Redis cannot be told of the end of the run', async () => {
    const { one, two } = replicas();
    let end: () => void = () => undefined;
    const job = failureOf(one.oncePer('report', HOUR_MS, () => new Promise<void>((resolve) => (end = resolve))));
    await one.advance(1_000);
    const outage = one.outage(60_000);
    end();
    await one.advance(60_000);
    await outage;
    expect(await job).toBeDefined();
    expect(await run(two)).toEqual(notRun);
    await one.advance(HOUR_MS);
    expect(await run(two)).toMatchObject({ ran: true });
  });

  describe('when the answer to the end of the run goes with its connection', () => {
    /** The run ends, and its last command reaches Redis, which carries it out or not and is then started anew. */
    async function endUnanswered(one: ReturnType<typeof createTestClient>, data: 'data kept' | 'data lost') {
      const { memory } = one.server as TestSite;
      const lost: unknown[] = [];
      one.on('lost', ({ error }) => lost.push(error.reason));
      let end: () => void = () => undefined;
      const job = one.oncePer('report', HOUR_MS, () => new Promise<void>((resolve) => (end = resolve)));
      const outcome = failureOf(job);
      await one.advance(1_000);
      const execute = memory.execute.bind(memory);
      memory.execute = (...sent) => {
        if (data === 'data kept') execute(...sent);
        return undefined;
      };
      end();
      await one.advance(0);
      memory.execute = execute;
      memory.restart(data);
      await one.advance(1_000);
      return { failure: await outcome, lost };
    }

    it('says that the period is lost where Redis came back empty', async () => {
      const { one, two } = replicas();
      const { failure, lost } = await endUnanswered(one, 'data lost');
      expect(failure).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
      expect(lost).toEqual(['deleted']);
      expect(await run(two)).toMatchObject({ ran: true });
    });

    it('says that the period is lost where the answer to a second copy goes too', async () => {
      const { one, two } = replicas();
      const { memory } = one.server as TestSite;
      const restart = memory.restart.bind(memory);
      memory.restart = (data) => {
        restart(data);
        const execute = memory.execute.bind(memory);
        memory.execute = (...sent) => {
          const reply = execute(...sent);
          if (!/"eval/i.test(JSON.stringify(sent)) || reply instanceof Error) return reply;
          memory.execute = execute;
          restart('data kept');
          return undefined;
        };
      };
      const { failure, lost } = await endUnanswered(one, 'data lost');
      expect(failure).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
      expect(lost).toEqual(['deleted']);
      expect(await run(two)).toMatchObject({ ran: true });
    });

    it('has run where Redis knows of its end', async () => {
      const { one, two } = replicas();
      expect(await endUnanswered(one, 'data kept')).toEqual({ failure: undefined, lost: [] });
      expect(await run(two)).toEqual(notRun);
      await one.advance(HOUR_MS);
      expect(await run(two)).toMatchObject({ ran: true });
    });
  });

  it('does not run inside itself, nor inside a hold of its lock', async () => {
    const { one } = replicas();
    expect(await one.oncePer('report', HOUR_MS, () => run(one))).toEqual({ ran: true, value: notRun });
    await one.advance(HOUR_MS + 1_000);
    expect(await one.getLock('report').withLock(() => run(one))).toEqual(notRun);
  });

  it.each<[string, (locks: LockClient) => Promise<unknown>]>([
    ['no period', (locks) => locks.oncePer('report', 0, run as never)],
    ['a period beyond what a lease may last', (locks) => locks.oncePer('report', 2 ** 31 + 1, run as never)],
    ['no function', (locks) => locks.oncePer('report', HOUR_MS, undefined as never)],
    ['no name', (locks) => locks.oncePer('', HOUR_MS, run as never)],
    ['an option that does not exist', (locks) => locks.oncePer('report', HOUR_MS, run as never, { retry: 1 } as never)],
    ['an unknown word', (locks) => locks.oncePer('report', HOUR_MS, run as never, { afterError: 'x' as never })],
  ])('refuses bad input: %s', async (_what, call) => {
    const { one } = replicas();
    const error = await failureOf(call(one));
    expect(error instanceof TypeError || error instanceof RangeError).toBe(true);
  });

  it('runs once among processes whose clocks are hours apart, also when the one that runs is killed', async () => {
    const name = freshName();
    const workers = await Promise.all(
      [-2 * HOUR_MS, 0, 3 * HOUR_MS].map((aheadMs) => spawnLockWorker(kit, {}, { aheadMs })),
    );
    const clocks = await Promise.all(workers.map((worker) => worker.call('now')));
    expect((clocks[2] ?? 0) - (clocks[0] ?? 0)).toBeGreaterThan(4 * HOUR_MS);
    const first = await Promise.all(workers.map((worker) => worker.call('oncePer', name, HOUR_MS)));
    expect(first.filter(Boolean)).toHaveLength(1);
    expect(await kit.admin.pttl(name)).toBeGreaterThan(HOUR_MS / 2);
    expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(HOUR_MS);
    const other = freshName();
    const [victim, ...replicasLeft] = workers;
    await victim?.call('beginOncePer', other, HOUR_MS);
    victim?.kill('SIGKILL');
    await victim?.exited;
    expect(await kit.admin.pttl(other)).toBeGreaterThan(HOUR_MS / 2);
    expect(await Promise.all(replicasLeft.map((worker) => worker.call('oncePer', other, HOUR_MS)))).toEqual([
      false,
      false,
    ]);
  });
});
