import { tracingChannel } from 'node:diagnostics_channel';
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { createTestClient } from 'holdfast/testing';

const boom = () => {
  throw new Error('a trap threw');
};

/** What no look at it survives. */
function revoked(): Error {
  const { proxy, revoke } = Proxy.revocable(new Error('work failed'), {});
  revoke();
  return proxy;
}

const errors: [what: string, make: () => Error][] = [
  ['whose cause throws when it is read', () => Object.defineProperty(new Error('work failed'), 'cause', { get: boom })],
  ['that throws when it is written to', () => new Proxy(new Error('work failed'), { set: boom, defineProperty: boom })],
  ['that is a revoked proxy', revoked],
];

describe('an error of the function', () => {
  const kit = useRedis();

  function open(): LockClient {
    const client = createTestClient();
    kit.cleanup(() => client.close());
    return client;
  }

  /** In an object: a promise looks at what it is resolved with. */
  const thrownBy = (call: Promise<unknown>) =>
    call.then(
      () => 'nothing',
      (error: unknown) => ({ error }),
    );

  async function expectThrown(call: (fail: () => never) => Promise<unknown>, failure: Error): Promise<void> {
    const fail = () => {
      throw failure;
    };
    const thrown = await thrownBy(call(fail));
    // Not by a matcher, which would look at it.
    expect(typeof thrown === 'object' && thrown.error === failure).toBe(true);
  }

  const lost: [of: string, call: (client: LockClient, fail: () => never) => Promise<unknown>][] = [
    ['a lock', (client, fail) => client.getLock('job').withLock(() => lose(client, fail))],
    ['a multi-lock', (client, fail) => client.getMultiLock(['job', 'other']).withLock(() => lose(client, fail))],
  ];
  const lose = (client: LockClient, fail: () => never) =>
    client.exit(async () => {
      await client.getLock('job').forceUnlock();
      fail();
    });

  describe.each(lost)('under %s that was lost', (_, call) => {
    it.each(errors)('%s is what the call rejects with, and the loss is an event', async (_what, make) => {
      const client = open();
      const told: unknown[] = [];
      client.on('error', (error) => told.push(error));
      await expectThrown((fail) => call(client, fail), make());
      expect(told).toMatchObject([{ code: 'LOCK_LOST', lockName: 'job' }]);
    });
  });

  it.each(errors)('%s is what oncePer and share reject with', async (_, make) => {
    const client = open();
    await expectThrown((fn) => client.oncePer('job', 60_000, fn), make());
    await expectThrown((fn) => client.share('report', { ttlMs: 1_000, errorTtlMs: 1_000, fn }), make());
    await expectThrown((fn) => client.share('figures', { ttlMs: 1_000, fn }), make());
  });

  it.each(errors)('%s is what a section rejects with that is traced', async (_, make) => {
    const client = open();
    const traced = tracingChannel('holdfast:section');
    const none = () => undefined;
    const subscriber = { start: none, end: none, asyncStart: none, asyncEnd: none, error: none };
    traced.subscribe(subscriber);
    kit.cleanup(() => traced.unsubscribe(subscriber));
    await expectThrown((fn) => client.getLock('job').withLock(fn), make());
  });

  it.each(errors)('%s as the reason of a signal is what the call rejects with', async (_, make) => {
    const client = open();
    const stop = new AbortController();
    const reason = make();
    const hold = await client.getLock('job').acquire();
    const waiting = client.getLock('job').acquire({ signal: stop.signal });
    const section = client.getLock('job').withLock({ signal: stop.signal }, () => undefined);
    stop.abort(reason);
    await expectThrown(() => waiting, reason);
    await expectThrown(() => section, reason);
    await hold.release();
  });
});
