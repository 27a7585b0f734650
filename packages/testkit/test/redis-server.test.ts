import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import {
  canIssueCertificates,
  findBinary,
  issueCertificate,
  startPrivateRedis,
  startRedis,
  waitUntil,
} from '@holdfast/testkit';
import type { RedisServer } from '@holdfast/testkit';

const started: RedisServer[] = [];
const start = async (...args: Parameters<typeof startPrivateRedis>): Promise<RedisServer> => {
  const server = await startPrivateRedis(...args);
  started.push(server);
  return server;
};

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

const isAlive = (pid: number): boolean => {
  try {
    // A zombie still takes signals; its state tells it from the living.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a private server', () => {
  it('is empty and apart from every other one', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    expect(one.port).not.toBe(other.port);
    await (await one.admin()).set('k', 'v');
    expect(await (await other.admin()).dbsize()).toBe(0);
  });

  it('takes further arguments, and a port', async () => {
    const first = await start({ args: ['--maxmemory', '7mb'] });
    expect(await (await first.admin()).config('GET', 'maxmemory')).toEqual(['maxmemory', String(7 * 2 ** 20)]);
    const { port } = first;
    await first.stop();
    expect((await start({ port })).port).toBe(port);
  });

  it('accepts DEBUG where the version can allow it', async () => {
    const admin = await (await start()).admin();
    await expect(admin.call('DEBUG', 'SLEEP', '0')).resolves.toBe('OK');
  });

  it('reads a configuration file, again after a restart', async () => {
    const server = await start({ config: 'user app on >secret ~lock:* +@all\n' });
    const redis = new Redis(server.url, { username: 'app', password: 'secret', lazyConnect: true });
    await redis.connect();
    await expect(redis.set('lock:a', '1')).resolves.toBe('OK');
    await expect(redis.set('other', '1')).rejects.toThrow(/NOPERM/);
    redis.disconnect();
    await server.restart();
    expect(await (await server.admin()).acl('LIST')).toContainEqual(expect.stringContaining('user app on'));
  });

  it('is the program that was asked for, and never another in its place', async () => {
    const known = findBinary(process.env);
    if (known === undefined) throw new Error('this test needs a server program');
    expect((await start({ server: known.file })).how).toContain(known.file);
    await expect(start({ server: process.execPath })).rejects.toThrow(`${process.execPath} is no Redis`);
  });

  it("says in the server's own words why it did not start", async () => {
    await expect(start({ args: ['--no-such-option', '1'] })).rejects.toThrow(/no-such-option/);
  });

  it('is never a stranger that already listens on the wanted port', async () => {
    const stranger = await start();
    await expect(start({ port: stranger.port })).rejects.toThrow(/in use/i);
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    await expect(start({ port })).rejects.toThrow(/in use/i);
    silent.close();
  });

  it('hangs when stopped and executes afterwards what was sent meanwhile', async () => {
    const server = await start();
    const admin = await server.admin();
    await server.stopProcess();
    const reply = admin.incr('n');
    const answer = waitUntil(() => reply, { what: 'an answer', timeoutMs: 100 });
    await expect(answer).rejects.toThrow(/not settled/);
    await server.continueProcess();
    expect(await reply).toBe(1);
  });

  it('comes back empty on the same port after a kill, and the admin with it', async () => {
    const server = await start();
    const admin = await server.admin();
    await admin.set('k', 'v');
    const before = server.pid;
    await server.kill();
    expect(isAlive(before ?? 0)).toBe(false);
    await server.restart();
    expect(server.pid).not.toBe(before);
    expect(await admin.get('k')).toBeNull();
  });

  it('can be stopped while it hangs, and twice', async () => {
    const server = await start();
    const pid = server.pid ?? 0;
    await server.stopProcess();
    await server.stop();
    await server.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('dies with the process that started it, also by SIGKILL, and leaves no files', async () => {
    const script = `
      import { findPrivateRedis } from ${JSON.stringify(new URL('../src/redis/find.mjs', import.meta.url).href)};
      const { faults } = await findPrivateRedis();
      console.log(faults.pid());
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);
    const dir = readlinkSync(`/proc/${pid}/cwd`);
    parent.kill('SIGKILL');
    await waitUntil(() => !isAlive(pid), { what: 'the orphaned server to end' });
    await waitUntil(() => !existsSync(dir), { what: 'its folder to go' });
  });
});

const describeWithOpenssl = canIssueCertificates() ? describe : describe.skip;
if (!canIssueCertificates()) process.stderr.write('skipped: a server with TLS: there is no openssl program\n');

describeWithOpenssl('a server with TLS', () => {
  const connect = async (port: number, tls: { ca?: string; host?: string }): Promise<string> => {
    const { host = '127.0.0.1', ...options } = tls;
    const redis = new Redis({ host, port, lazyConnect: true, tls: options, retryStrategy: () => null });
    let reason = '';
    redis.on('error', (error: Error) => (reason = error.message));
    await redis.connect().catch(() => undefined);
    const said = redis.status === 'ready' ? await redis.ping() : reason;
    redis.disconnect();
    return said;
  };

  it('serves those who trust its authority, and nobody without TLS', async () => {
    const server = await start({ tls: issueCertificate() });
    expect(server.url).toMatch(/^rediss:/);
    expect(await (await server.admin()).ping()).toBe('PONG');
    expect(await connect(server.port, { ca: server.ca ?? '' })).toBe('PONG');
    expect(await connect(server.port, { ca: server.ca ?? '', host: 'localhost' })).toBe('PONG');
    expect(await connect(server.port, { ca: issueCertificate().ca })).toMatch(/certificate/i);
    const plain = new Redis(server.port, { lazyConnect: true, retryStrategy: () => null });
    plain.on('error', () => undefined);
    await expect(plain.connect()).rejects.toThrow();
  });

  it('can be another host by its certificate, and its admin gets in all the same', async () => {
    const server = await start({ tls: issueCertificate({ hosts: ['redis.example'] }) });
    expect(await connect(server.port, { ca: server.ca ?? '' })).toMatch(/does not match/);
    await server.restart();
    expect(await (await server.admin()).ping()).toBe('PONG');
  });
});

describe('a shared server', () => {
  it('is what REDIS_URL names, survives stop(), and refuses process faults', async () => {
    const real = await start();
    const before = process.env['REDIS_URL'];
    process.env['REDIS_URL'] = real.url;
    try {
      const shared = await startRedis();
      expect(shared).toMatchObject({
        url: real.url,
        port: real.port,
        how: 'REDIS_URL',
        isShared: true,
        pid: undefined,
      });
      await (await shared.admin()).set('k', 'v');
      for (const fault of [() => shared.kill(), () => shared.stopProcess(), () => shared.restart()]) {
        await expect(fault()).rejects.toThrow(/REDIS_URL.*startPrivateRedis/s);
      }
      await shared.stop();
      expect(await (await real.admin()).get('k')).toBe('v');
      expect((await start()).port).not.toBe(real.port);
    } finally {
      if (before === undefined) delete process.env['REDIS_URL'];
      else process.env['REDIS_URL'] = before;
    }
  });
});
