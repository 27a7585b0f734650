import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { useRedis } from '@holdfast/testkit';

const kit = useRedis();

describe('useRedis', () => {
  it.each([1, 2])('gives every test an empty server (%i)', async () => {
    const redis = new Redis(kit.server.url);
    kit.cleanup(() => redis.quit());
    expect(await redis.dbsize()).toBe(0);
    await redis.set('k', 'v', 'EX', 100);
    expect(await kit.admin.get('k')).toBe('v');
  });
});

describe('a test file that leaks', () => {
  // A whole jest run, since what counts is which test the runner fails.
  const outcome = async (source: string): Promise<Record<string, string>> => {
    const root = new URL('../../..', import.meta.url).pathname;
    const dir = mkdtempSync(join(root, 'packages/testkit/test/leaky-'));
    kit.cleanup(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, 'leaky.test.ts'), source);
    const result = await new Promise<string>((resolve) => {
      const args = ['--experimental-vm-modules', join(root, 'node_modules/jest/bin/jest.js')];
      args.push('--selectProjects', 'testkit', '--json', '--runTestsByPath', join(dir, 'leaky.test.ts'));
      execFile(process.execPath, args, { cwd: root }, (_, stdout) => resolve(stdout));
    });
    const { testResults } = JSON.parse(result) as {
      testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
    };
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    return Object.fromEntries(tests.map((test) => [test.title, `${test.status} ${test.failureMessages.join('\n')}`]));
  };

  it('has exactly the leaking tests failed', async () => {
    const tests = await outcome(`
      import { it } from '@jest/globals';
      import { Redis } from 'ioredis';
      import { useRedis } from '@holdfast/testkit';
      const kit = useRedis(undefined, { graceMs: 200 });
      it('clean', () => kit.admin.ping());
      it('timer', () => { const t = setInterval(() => {}, 1000); setTimeout(() => clearInterval(t), 1000); });
      it('key', () => kit.admin.set('k', 'v'));
      it('client', async () => { const r = new Redis(kit.server.url); await r.ping(); setTimeout(() => r.disconnect(), 1000).unref(); });
      it('rejection', async () => { void Promise.reject(new Error('nobody looks')); });
      it('clean again', async () => { const r = new Redis(kit.server.url); kit.cleanup(() => r.disconnect()); await r.ping(); });
    `);
    expect(tests).toEqual({
      clean: expect.stringMatching(/^passed/),
      timer: expect.stringMatching(/^failed[^]*a timer is still set/),
      key: expect.stringMatching(/^failed[^]*without expiry: k/),
      client: expect.stringMatching(/^failed[^]*still connected/),
      rejection: expect.stringMatching(/^failed[^]*nobody looks/),
      'clean again': expect.stringMatching(/^passed/),
    });
  }, 30_000);
});
