/** A server that accepts connections and gives no answer: the command line says so, and not how ioredis ended its own. */

import { faultProxy, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { LockClient } from 'holdfast';
import { Redis } from 'ioredis';
import { Call } from '../../src/cli/command-line.js';
import { examineLeftovers } from '../../src/cli/doctor/leftovers.js';
import { examineServer } from '../../src/cli/doctor/server.js';
import { holdfast } from './terminal.js';

const kit = useRedis(() => startPrivateRedis({ args: ['--busy-reply-threshold', '50'] }));

afterEach(() => void jest.restoreAllMocks());

/** Keeps the server from answering; what is returned ends that. */
type Trouble = () => Promise<() => Promise<unknown>>;

const runsScript: Trouble = async () => {
  const blocker = kit.admin.duplicate();
  kit.cleanup(() => blocker.disconnect());
  const killed = blocker.eval('while true do end', 0).catch((error: unknown) => String(error));
  const isBusy = () => kit.admin.ping().catch((error: unknown) => String(error).includes('BUSY'));
  await waitUntil(async () => (await isBusy()) === true, { what: 'the script to block the server' });
  return async () => {
    await kit.admin.script('KILL');
    expect(await killed).toContain('killed');
  };
};

const hangs: Trouble = async () => {
  await kit.server.stopProcess();
  return () => kit.server.continueProcess();
};

const unseen = ['version', 'min-replicas-to-write', 'round-trip', 'clock', 'keys-without-expiry'];
const timeout = ['--timeout', '1s'];

const busy = /BUSY (Redis|Valkey) is busy running a script/;

describe.each<[string, Trouble, first: RegExp, once: RegExp]>([
  ['runs a script', runsScript, busy, busy],
  ['hangs', hangs, /: it takes connections and did not answer in time$/m, /Command timed out/],
])('a server that %s', (_, begin, what, silence) => {
  it('is told as that by the doctor', async () => {
    const end = await begin();
    const { code, output } = await holdfast(kit, ['doctor', ...timeout]);
    await end();
    expect(output).toMatch(/^bad +reachable .*$/m);
    expect(output).toMatch(what);
    expect(code).toBe(69);
  });

  it('once the doctor is connected is told as that by what it cannot look at, and no right is called missing', async () => {
    const redis = new Redis(kit.server.url, { lazyConnect: true, commandTimeout: 500 });
    kit.cleanup(() => redis.disconnect());
    await redis.connect();
    const end = await begin();
    const findings = [...(await examineServer(redis, 'here', 'node')), await examineLeftovers([redis], '')];
    await end();
    expect(findings.map(({ check }) => check)).toEqual(unseen);
    for (const finding of findings)
      expect(finding).toMatchObject({ status: 'unknown', detail: expect.stringMatching(silence) });
  });

  it('and answers again while the doctor asks why is told as that', async () => {
    const end = await begin();
    let ended: Promise<unknown> | undefined;
    // It is asked why there is no connection.
    const asking = jest.spyOn(LockClient.prototype, 'connect').mockImplementation(function (this: LockClient, options) {
      asking.mockRestore();
      ended = end();
      return this.connect(options);
    });
    const { code, output } = await holdfast(kit, ['doctor', ...timeout]);
    await ended;
    expect(output).toMatch(what);
    expect(output).not.toContain('closed');
    expect(code).toBe(69);
  });
});

it('a server that hangs is told as that also where the time was too short for its client to find out', async () => {
  const end = await hangs();
  const listing = holdfast(kit, ['ls', '--timeout', '600ms']);
  const running = holdfast(kit, ['run', 'backup', '--wait', '1500ms', '--timeout', '600ms', '--', 'true']);
  const told = [await listing, await running];
  await end();
  for (const { code, errors } of told) {
    expect(errors).toMatch(/ \(it takes connections and did not answer in time\)$/m);
    expect(code).toBe(69);
  }
});

it('a lock is tried for as long as --timeout says, the way to a connection included', async () => {
  const proxy = await faultProxy({ target: kit.server });
  kit.cleanup(() => proxy.close());
  const trying = jest.spyOn(LockClient.prototype, 'getLock').mockImplementation(function (this: LockClient, name) {
    trying.mockRestore();
    // A connection asks more than once before it is ready; the default of a client is a second.
    proxy.delay(600, 'up');
    return this.getLock(name);
  });
  const { code, output } = await holdfast(kit, ['doctor', '--redis', proxy.url, '--timeout', '30s']);
  expect(output).toMatch(/^ok +lock +taken/m);
  expect(code).toBe(0);
}, 60_000);

describe('a server that hangs costs the doctor no more time than --timeout says, and a moment:', () => {
  it('from the beginning', async () => {
    const asked = jest.spyOn(LockClient.prototype, 'connect');
    const end = await hangs();
    const { code } = await holdfast(kit, ['doctor', '--timeout', '3s']);
    await end();
    expect(asked.mock.calls).toEqual([[{ timeoutMs: 1_000 }]]);
    expect(code).toBe(69);
  });

  it('also when it is a sentinel, the first of those named', async () => {
    const hung = await faultProxy({ target: kit.server });
    kit.cleanup(() => hung.close());
    hung.hold('up');
    const sentinels = ['--sentinel', `127.0.0.1:${hung.port}`, '--sentinel', '127.0.0.1:1', '--master', 'mymaster'];
    const { code, output } = await holdfast(kit, ['doctor', ...sentinels, ...timeout]);
    expect(output).toMatch(/^bad +reachable .*$/m);
    expect(code).toBe(69);
  });

  it('once it is connected', async () => {
    let end: (() => Promise<unknown>) | undefined;
    const connecting = jest.spyOn(Call.prototype, 'connected').mockImplementation(async function (this: Call) {
      connecting.mockRestore();
      const connected = await this.connected();
      end = await hangs();
      return connected;
    });
    const sent = jest.spyOn(Redis.prototype, 'sendCommand');
    const startedAt = performance.now();
    const { code, output } = await holdfast(kit, ['doctor', ...timeout]);
    const tookMs = performance.now() - startedAt;
    await end?.();
    expect(output).toMatch(/^ok +reachable .*\n(?:unknown +.*Command timed out\n)+bad +lock +not tried: .*\n$/);
    expect(code).toBe(69);
    expect(sent.mock.calls.filter(([{ name }]) => name === 'config')).toEqual([]);
    expect(tookMs).toBeLessThan(4_000);
  });
});
