import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { spawnWorker, startPrivateRedis, waitUntil } from '@holdfast/testkit';
import type { SpawnWorkerOptions, TestWorker } from '@holdfast/testkit';
import type { methods } from './echo.worker.js';

const file = new URL('./echo.worker.ts', import.meta.url);
const workers: TestWorker<typeof methods>[] = [];
const start = async (options?: SpawnWorkerOptions): Promise<TestWorker<typeof methods>> => {
  const worker = await spawnWorker<typeof methods>(file, options);
  workers.push(worker);
  return worker;
};
const hasProcess = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

describe('a worker', () => {
  it('runs methods and returns their results, many at once', async () => {
    const worker = await start();
    const sums = await Promise.all([1, 2, 3].map((n) => worker.call('add', n, 10)));
    expect(sums).toEqual([11, 12, 13]);
  });

  it('passes errors on with name, message and code', async () => {
    const worker = await start();
    await expect(worker.call('fail', 'E_TEST')).rejects.toMatchObject({
      name: 'RangeError',
      message: 'on purpose',
      code: 'E_TEST',
    });
  });

  it('reports events in order', async () => {
    const worker = await start();
    await worker.call('report', { n: 1 });
    await worker.call('report', { n: 2 });
    expect(worker.events).toEqual([
      { event: 'reported', data: { n: 1 } },
      { event: 'reported', data: { n: 2 } },
    ]);
  });

  it('gets arguments and environment', async () => {
    const worker = await start({ args: ['--x', 'y z'], env: { COLOUR: 'green' } });
    expect(await worker.call('environment')).toEqual({ args: ['--x', 'y z'], COLOUR: 'green' });
  });

  it('imports packages from the workspace', async () => {
    const server = await startPrivateRedis();
    try {
      expect(await (await start()).call('ping', server.url)).toBe('PONG');
    } finally {
      await server.stop();
    }
  });

  it('can be given another ioredis, wherever it is imported', async () => {
    const worker = await start({ ioredis: './fake-ioredis.ts' });
    expect(await worker.call('ping', 'redis://127.0.0.1:1')).toBe('a substitute');
  });

  it('fails open calls when it is killed, without an unhandled rejection', async () => {
    const worker = await start();
    const open = worker.call('never');
    worker.kill('SIGKILL');
    expect(await worker.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await expect(open).rejects.toThrow(/SIGKILL/);
    await expect(worker.call('add', 1, 2)).rejects.toThrow(/has ended/);
  });

  it('answers after SIGCONT what it was asked while stopped', async () => {
    const worker = await start();
    worker.kill('SIGSTOP');
    const sum = worker.call('add', 1, 2);
    await expect(waitUntil(() => sum, { what: 'an answer', timeoutMs: 100 })).rejects.toThrow(/not settled/);
    worker.kill('SIGCONT');
    expect(await sum).toBe(3);
  });

  it('says what it printed when it crashes', async () => {
    const worker = await start();
    const open = worker.call('never');
    void worker.call('crash');
    await expect(open).rejects.toThrow(/code 1[^]*out of the blue/);
  });

  it('that cannot start rejects with the reason', async () => {
    await expect(spawnWorker(new URL('./no-such.worker.ts', import.meta.url))).rejects.toThrow(/no-such\.worker/);
  });

  it('ends by itself after finish(), and only when nothing keeps it alive', async () => {
    const idle = await start();
    expect(await idle.finish()).toEqual({ code: 0, signal: null });
    const busy = await start();
    await busy.call('stayAlive');
    const ended = busy.finish();
    await expect(waitUntil(() => ended, { what: 'the end', timeoutMs: 200 })).rejects.toThrow(/not settled/);
  });

  it('ends with its parent, also when it is stopped and the parent is killed', async () => {
    const script = `
      import { spawnWorker } from '@holdfast/testkit';
      const worker = await spawnWorker(${JSON.stringify(file.href)});
      worker.kill('SIGSTOP');
      console.log(worker.pid);`;
    const options = ['--conditions=@holdfast/source', '--import', 'tsx', '--input-type=module', '-e', script];
    const cwd = new URL('.', import.meta.url);
    const parent = spawn(process.execPath, options, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(String(line));
    expect(hasProcess(pid)).toBe(true);
    parent.kill('SIGKILL');
    await waitUntil(() => !hasProcess(pid), { what: 'the orphaned worker to end' });
  });
});
