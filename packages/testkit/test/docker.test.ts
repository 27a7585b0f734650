import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { dockerAnswers, RedisServer, startInDocker, waitUntil } from '@holdfast/testkit';

jest.setTimeout(90_000);

const answers = dockerAnswers(process.env);
if (!answers) process.stderr.write('skipped: a server in Docker: no engine answers\n');
const describeWithDocker = answers ? describe : describe.skip;

const containers = (): string[] =>
  execFileSync('docker', ['ps', '--all', '--quiet', '--no-trunc'], { encoding: 'utf8' }).split('\n').filter(Boolean);

describeWithDocker('a server in Docker', () => {
  let server: RedisServer | undefined;
  const start = async (args?: string[]): Promise<RedisServer> => {
    server = new RedisServer(await startInDocker({ args, env: process.env }));
    return server;
  };
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  it('is empty, takes arguments, and says where it came from', async () => {
    const admin = await (await start(['--maxmemory', '7mb'])).admin();
    expect(await admin.dbsize()).toBe(0);
    expect(await admin.config('GET', 'maxmemory')).toEqual(['maxmemory', String(7 * 2 ** 20)]);
    expect(server?.how).toMatch(/^(Testcontainers|docker) /);
    expect(server?.pid).toBeUndefined();
  });

  it('hangs when stopped and executes afterwards what was sent meanwhile', async () => {
    const admin = await (await start()).admin();
    await server?.stopProcess();
    const reply = admin.incr('n');
    const answer = waitUntil(() => reply, { what: 'an answer', timeoutMs: 100 });
    await expect(answer).rejects.toThrow(/not settled/);
    await server?.continueProcess();
    expect(await reply).toBe(1);
  });

  it('comes back empty on the same port after a kill, and the admin with it', async () => {
    const admin = await (await start()).admin();
    await admin.set('k', 'v');
    await server?.kill();
    await server?.restart();
    expect(await admin.get('k')).toBeNull();
  });

  it('leaves no container', async () => {
    const before = containers();
    await start();
    expect(containers()).toHaveLength(before.length + 1);
    await server?.stop();
    expect(containers()).toEqual(before);
  });
});
