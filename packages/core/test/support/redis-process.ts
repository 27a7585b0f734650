import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface RedisProcess {
  readonly port: number;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export async function startRedis({ args = [] }: { args?: string[] } = {}): Promise<RedisProcess> {
  const port = await freePort();
  const child = spawn(
    '/usr/bin/redis-check-rdb',
    ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...args],
    { argv0: 'redis-server', stdio: ['ignore', 'pipe', 'inherit'], cwd: '/tmp' },
  );
  for await (const line of createInterface(child.stdout)) if (line.includes('Ready to accept connections')) break;
  child.stdout.resume();
  return {
    port,
    async stop() {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
