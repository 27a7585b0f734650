import { describe, expect, it } from '@jest/globals';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, findPrivateRedis, findRedis } from '@holdfast/testkit';
import type { FoundRedis, Sources } from '@holdfast/testkit';

const found = (how: string): FoundRedis => ({
  how,
  host: 'h',
  port: 1,
  url: 'redis://h:1',
  stop: async () => undefined,
});

/** A machine that has nothing, but for what is replaced. Notes what was tried. */
function machine(has: Partial<Sources> = {}): { sources: Sources; tried: string[] } {
  const tried: string[] = [];
  const noting = <Args extends unknown[], Result>(name: string, source: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      tried.push(name);
      return source(...args);
    };
  };
  const sources: Sources = {
    findBinary: noting('findBinary', has.findBinary ?? (() => undefined)),
    startLocal: noting('startLocal', has.startLocal ?? (async ({ file }) => found(file))),
    dockerAnswers: noting('dockerAnswers', has.dockerAnswers ?? (() => false)),
    startInDocker: noting('startInDocker', has.startInDocker ?? (async () => found('docker'))),
    canInstall: noting('canInstall', has.canInstall ?? (() => false)),
    installRedis: noting('installRedis', has.installRedis ?? (async () => true)),
  };
  return { sources, tried };
}
const binary = { file: '/opt/redis-server', argv0: 'redis-server' };

describe('the order in which a Redis is looked for', () => {
  it('REDIS_URL comes first, and nothing else is tried', async () => {
    const { sources, tried } = machine({ findBinary: () => binary });
    const redis = await findRedis({ env: { REDIS_URL: 'redis://elsewhere' } }, sources);
    expect(redis).toMatchObject({ how: 'REDIS_URL', host: 'elsewhere', port: 6379, url: 'redis://elsewhere' });
    expect([redis.faults, tried]).toEqual([undefined, []]);
  });

  it('an empty REDIS_URL is none', async () => {
    const { sources } = machine({ findBinary: () => binary });
    expect((await findRedis({ env: { REDIS_URL: '' } }, sources)).how).toBe(binary.file);
  });

  it('who wants a private one does not get REDIS_URL', async () => {
    const { sources } = machine({ findBinary: () => binary });
    const env = { REDIS_URL: 'redis://elsewhere' };
    expect((await findPrivateRedis({ env }, sources)).how).toBe(binary.file);
  });

  it('a program on this machine comes before Docker', async () => {
    const { sources, tried } = machine({ findBinary: () => binary, dockerAnswers: () => true });
    await findRedis({ env: {} }, sources);
    expect(tried).toEqual(['findBinary', 'startLocal']);
  });

  it('Docker comes before an installation', async () => {
    const { sources, tried } = machine({ dockerAnswers: () => true, canInstall: () => true });
    expect((await findRedis({ env: {} }, sources)).how).toBe('docker');
    expect(tried).toEqual(['findBinary', 'dockerAnswers', 'startInDocker']);
  });

  it('what a container cannot be started with is not tried with Docker', async () => {
    const { sources, tried } = machine({ dockerAnswers: () => true });
    await expect(findPrivateRedis({ config: 'user app on', env: {} }, sources)).rejects.toThrow(/No Redis found/);
    expect(tried).toEqual(['findBinary', 'canInstall']);
  });

  it('installs where it may, also when Docker has no image, and uses what it installed', async () => {
    let isInstalled = false;
    const { sources } = machine({
      findBinary: () => (isInstalled ? binary : undefined),
      dockerAnswers: () => true,
      startInDocker: () => Promise.reject(new Error('cannot pull')),
      canInstall: () => true,
      installRedis: async () => (isInstalled = true),
    });
    expect((await findRedis({ env: {} }, sources)).how).toBe(binary.file);
  });

  it('else says what to install, and what Docker complained about', async () => {
    await expect(findRedis({ env: {} }, machine().sources)).rejects.toThrow(
      /No Redis found[^]*REDIS_URL[^]*brew install[^]*apt-get install[^]*Docker/,
    );
    const cause = new Error('cannot pull');
    const { sources } = machine({ dockerAnswers: () => true, startInDocker: () => Promise.reject(cause) });
    await expect(findRedis({ env: {} }, sources)).rejects.toMatchObject({ cause });
  });
});

describe('findBinary', () => {
  const real = findBinary(process.env);
  const withFolder = (use: (folder: string) => void): void => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bin-'));
    try {
      use(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  const script = (file: string, text: string): void => {
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
  };

  it('finds nothing where there is nothing', () => {
    withFolder((folder) => expect(findBinary({ PATH: folder }, [])).toBeUndefined());
    expect(findBinary({}, [])).toBeUndefined();
  });

  it('looks in PATH before the usual folders, and for Redis before Valkey', () => {
    withFolder((folder) => {
      for (const name of ['redis-server', 'valkey-server']) script(join(folder, name), 'echo "Redis server v=7.2.1 x"');
      expect(findBinary({ PATH: `${folder}:/usr/bin` })?.file).toBe(join(folder, 'redis-server'));
      expect(findBinary({ PATH: '/nowhere' }, [folder])?.file).toBe(join(folder, 'redis-server'));
    });
  });

  it('takes what REDIS_SERVER names before all others, and nothing in its place', () => {
    withFolder((folder) => {
      const [chosen, broken] = [join(folder, 'my-server'), join(folder, 'broken')];
      script(chosen, 'echo "Redis server v=6.2.1 x"');
      script(broken, 'exit 1');
      expect(findBinary({ ...process.env, REDIS_SERVER: chosen })?.file).toBe(chosen);
      expect(() => findBinary({ ...process.env, REDIS_SERVER: broken })).toThrow(broken);
      expect(findBinary({ REDIS_SERVER: '' }, [])).toBeUndefined();
    });
  });

  it('knows the checker that is the server under another name, and not one that is only a checker', () => {
    withFolder((folder) => {
      script(join(folder, 'redis-check-rdb'), 'echo "Usage: redis-check-rdb"');
      expect(findBinary({ PATH: folder }, [])).toBeUndefined();
      if (real === undefined || real.argv0 !== 'redis-server') throw new Error('this test needs a Redis program');
      symlinkSync(real.file, join(folder, 'valkey-check-rdb'));
      expect(findBinary({ PATH: folder }, [])).toEqual({
        file: join(folder, 'valkey-check-rdb'),
        argv0: 'valkey-server',
      });
    });
  });

  it('says what such a program is started as', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bin-'));
    const [checker, server] = ['redis-check-rdb', 'redis-server'].map((name) => join(folder, name)) as [string, string];
    for (const file of [checker, server]) symlinkSync((real as { file: string }).file, file);
    const howOf = async (file: string) => {
      const { how, stop } = await findPrivateRedis({ env: { REDIS_SERVER: file } });
      await stop();
      return how;
    };
    expect(await howOf(checker)).toBe(`${checker}, started as redis-server`);
    expect(await howOf(server)).toBe(server);
    rmSync(folder, { recursive: true });
  });
});

describe('scripts/with-redis.mjs', () => {
  const withRedis = new URL('../../../scripts/with-redis.mjs', import.meta.url).pathname;
  const env = { ...process.env, REDIS_URL: '' };
  const inShell = (line: string) =>
    spawnSync(process.execPath, [withRedis, '--', 'sh', '-c', line], { env, encoding: 'utf8' });

  it('gives the command a Redis that answers, and its exit code back', () => {
    const { stdout, status, stderr } = inShell('echo "$REDIS_URL"; exit 7');
    expect(stdout).toMatch(/^redis:\/\/127\.0\.0\.1:\d+\n$/);
    expect(stderr).toMatch(/^\[redis\] .* at redis:/);
    expect(status).toBe(7);
  });

  it('leaves no server behind', async () => {
    const url = inShell('echo "$REDIS_URL"').stdout.trim();
    const code = `require('net').connect(${new URL(url).port}, '127.0.0.1').on('error', (e) => console.log(e.code))`;
    expect(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }).trim()).toBe('ECONNREFUSED');
  });

  it('passes signals on, and reports the one that ended the command', async () => {
    const line = 'trap "echo got it; exit 3" TERM; echo ready; while :; do sleep 0.05; done';
    const script = spawn(process.execPath, [withRedis, '--', 'sh', '-c', line], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(script.stdout, 'data');
    script.kill('SIGTERM');
    const [[text], [code]] = await Promise.all([once(script.stdout, 'data'), once(script, 'exit')]);
    expect([String(text), code]).toEqual(['got it\n', 3]);
    expect(inShell('kill -KILL $$').status).toBe(128 + 9);
  });

  it('says how it is used, and which program does not exist', () => {
    expect(spawnSync(process.execPath, [withRedis], { encoding: 'utf8' })).toMatchObject({ status: 64 });
    const missing = spawnSync(process.execPath, [withRedis, '--', 'no-such-program'], { env, encoding: 'utf8' });
    expect([missing.status, missing.stderr]).toEqual([127, expect.stringContaining('no-such-program')]);
  });
});
