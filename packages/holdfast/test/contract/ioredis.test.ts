import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { openClient } from '../support/clients.js';
import { tenureId } from '../support/secrets.js';
import { whichIoredis } from '../support/which-ioredis.js';
import { spawnLockWorker, usesIoredis5 } from '../support/workers.js';

const kit = useRedis();

describe('the contract runs on', () => {
  it('the lowest ioredis 5 that is supported, the newest one, or ioredis 6', () => {
    const { version } = createRequire(import.meta.url)(`${whichIoredis}/package.json`) as { version: string };
    expect(version).toBe({ ioredis5: '5.4.2', 'ioredis5-newest': '5.11.1', ioredis: '6.0.0' }[whichIoredis]);
  });

  it('the same ioredis inside the client', async () => {
    const connect = jest.spyOn(Redis.prototype, 'connect');
    kit.cleanup(() => connect.mockRestore());
    await openClient(kit).getLock('lock').isLocked();
    expect(connect).toHaveBeenCalledTimes(1);
  });

  it('the same ioredis in its other processes', async () => {
    const worker = await spawnLockWorker(kit);
    expect(await worker.call('whichIoredis')).toBe(whichIoredis);
    await worker.call('close');
  });

  it('a client of another copy of ioredis, which is served as well', async () => {
    // Not by the name that this project gives to its own copy.
    const other = usesIoredis5 ? 'ioredis/built/index.js' : 'ioredis5';
    const { Redis: OtherRedis } = createRequire(import.meta.url)(other) as { Redis: typeof Redis };
    const redis = new OtherRedis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    expect(redis).not.toBeInstanceOf(Redis);
    const lock = openClient(kit, { redis }).getLock('lock');
    expect(await lock.withLock(() => lock.withLock(() => lock.getHoldCount()))).toBe(2);
    expect(await lock.isLocked()).toBe(false);
  });

  it('a client of another copy of ioredis, which hears no id of a tenure and tells its traces none', async () => {
    const other = usesIoredis5 ? 'ioredis/built/index.js' : 'ioredis5';
    const { Redis: OtherRedis } = createRequire(import.meta.url)(other) as { Redis: typeof Redis };
    const redis = new OtherRedis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    const said: unknown[] = [];
    const listener = (message: unknown) => void said.push((message as { args: unknown }).args);
    subscribe('tracing:ioredis:command:start', listener);
    kit.cleanup(() => unsubscribe('tracing:ioredis:command:start', listener));
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (command, ...rest) => {
      said.push(command.args);
      return send(command, ...rest);
    };
    await openClient(kit, { redis })
      .getLock('traced')
      .withLock(() => undefined);
    expect(JSON.stringify(said)).toContain('traced');
    expect(JSON.stringify(said)).not.toMatch(tenureId);
  });

  it('a client whose sendCommand is wrapped, as monitoring tools do: no rejection is left to nobody', async () => {
    const redis = new Redis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = async (...args) => await (send(...args) as Promise<unknown>);
    await kit.admin.script('FLUSH');
    expect(
      await openClient(kit, { redis })
        .getLock('lock')
        .withLock(() => 'served'),
    ).toBe('served');
    // Time for what nobody has handled to be told of.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
