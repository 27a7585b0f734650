import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { LeakCheck, LeakError, startPrivateRedis } from '@holdfast/testkit';
import type { RedisServer } from '@holdfast/testkit';

let server: RedisServer;
beforeAll(async () => {
  server = await startPrivateRedis();
  await server.admin();
});
afterAll(() => server.stop());

/** What the check says of a test with this body. */
async function leaksOf(body: (check: LeakCheck) => unknown, graceMs = 150): Promise<readonly string[]> {
  const check = new LeakCheck({ graceMs });
  check.track(server);
  await check.begin();
  await body(check);
  try {
    await check.end();
    return [];
  } catch (error) {
    if (error instanceof LeakError) return error.leaks;
    throw error;
  }
}

describe('a leak check', () => {
  it('finds nothing where nothing was left', async () => {
    expect(
      await leaksOf(async () => {
        const redis = new Redis(server.url);
        await redis.set('short-lived', 'x', 'PX', 60_000);
        await redis.quit();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }),
    ).toEqual([]);
  });

  it('waits for what is still closing', async () => {
    expect(await leaksOf(() => void setTimeout(() => undefined, 50), 20_000)).toEqual([]);
  });

  it('waits for what falls due in time, also when the process stands still until the time is over', async () => {
    const check = new LeakCheck({ graceMs: 50 });
    await check.begin();
    setTimeout(() => undefined, 40);
    const ended = check.end();
    setTimeout(() => {
      const until = performance.now() + 100;
      while (performance.now() < until);
    }, 10);
    await ended;
  });

  it.each([
    ['keeps the process alive', (timer: NodeJS.Timeout) => timer],
    ["was unref'd", (timer: NodeJS.Timeout) => timer.unref()],
  ])('finds a timer that %s, and where it was set', async (_, prepare) => {
    let timer: NodeJS.Timeout | undefined;
    const leaks = await leaksOf(() => {
      timer = prepare(setInterval(() => undefined, 1_000));
    });
    clearInterval(timer);
    expect(leaks).toEqual([expect.stringMatching(/a timer is still set: .*leaks\.test\.ts:\d+/)]);
  });

  it('finds a loop that sets one timer after the other', async () => {
    let isOver = false;
    const leaks = await leaksOf(() => {
      const poll = (): void => void setTimeout(() => isOver || poll(), 20);
      poll();
    });
    isOver = true;
    expect(leaks).toEqual([expect.stringContaining('a timer is still set')]);
  });

  it('passes over AbortSignal.timeout and timers set before the test', async () => {
    const timer = setInterval(() => undefined, 1_000);
    expect(await leaksOf(() => AbortSignal.timeout(60_000))).toEqual([]);
    clearInterval(timer);
  });

  it('finds a listening socket', async () => {
    const listener = createServer();
    const leaks = await leaksOf(async () => {
      await once(listener.listen(0, '127.0.0.1'), 'listening');
    });
    listener.close();
    expect(leaks).toEqual([expect.stringContaining('TCPServerWrap')]);
  });

  it('finds a client of a tracked server, on both ends', async () => {
    const redis = new Redis(server.url, { connectionName: 'forgotten' });
    redis.disconnect();
    await once(redis, 'end');
    const leaks = await leaksOf(() => redis.connect());
    redis.disconnect();
    await once(redis, 'end');
    expect(leaks.join('\n')).toMatch(/TCPSocketWrap[^]*still connected: .*name=forgotten/);
  });

  it('finds subscriptions of every kind', async () => {
    const redis = new Redis(server.url);
    await once(redis, 'ready');
    const leaks = await leaksOf(async () => {
      await redis.subscribe('plain');
      await redis.ssubscribe('sharded');
      await redis.psubscribe('pattern*');
    });
    redis.disconnect();
    await once(redis, 'end');
    expect(leaks).toEqual(['plain', 'sharded', '(1 patterns)'].map((channel) => `still subscribed: ${channel}`));
  });

  it('finds a key without expiry, and passes over one with', async () => {
    const admin = await server.admin();
    const leaks = await leaksOf(async () => {
      await admin.set('for-ever', 'x');
      await admin.set('for-a-while', 'x', 'EX', 100);
    });
    await admin.flushall();
    expect(leaks).toEqual(['a key without expiry: for-ever']);
  });

  it('finds a MaxListeners warning', async () => {
    const leaks = await leaksOf(() => {
      const emitter = new EventEmitter();
      for (let i = 0; i < 11; i++) emitter.on('x', () => undefined);
    });
    expect(leaks).toEqual([expect.stringContaining('MaxListenersExceededWarning')]);
  });

  it('blames a test only for what it added itself', async () => {
    const redis = new Redis(server.url);
    await redis.set('older', 'x');
    expect(await leaksOf(() => undefined)).toEqual([]);
    await redis.flushall();
    await redis.quit();
  });

  it('runs cleanups first, the last one first, and all of them', async () => {
    const order: string[] = [];
    const broken = new Error('a cleanup failed');
    const end = leaksOf((check) => {
      check.cleanup(() => order.push('first'));
      check.cleanup(() => {
        throw broken;
      });
      const late = setInterval(() => undefined, 1_000);
      check.cleanup(async () => {
        await Promise.resolve();
        clearInterval(late);
        order.push('last');
      });
    });
    await expect(end).rejects.toBe(broken);
    expect(order).toEqual(['last', 'first']);
  });

  it('says so when the server hangs', async () => {
    const leaks = await leaksOf(() => server.stopProcess());
    await server.continueProcess();
    expect(leaks.join()).toMatch(/hang/);
  });
});
