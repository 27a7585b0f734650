import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import type { RedisServer } from '@holdfast/testkit';
import { roster } from '../peers/roster.js';
import type { Programs } from '../programs/program.js';
import type { Circumstances } from '../report/results.js';

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'an unknown commit'; // a copy without its history
  }
}

function version(name: string): string {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  const { version: found } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return found.replace(/^v/, '');
}

/** What a reader needs to judge the figures, and nothing about whose machine it is. */
export async function circumstancesOf(
  server: RedisServer,
  { command, rounds, roundMs }: Pick<Circumstances, 'command' | 'rounds' | 'roundMs'>,
  programs: Programs,
): Promise<Circumstances> {
  const info = await (await server.admin()).info('server');
  const packages = ['ioredis', ...roster.flatMap((peer) => (peer.runsIn === undefined ? (peer.package ?? []) : []))];
  const [processor] = cpus();
  return {
    ...{ command, rounds, roundMs },
    commit: commit(),
    node: process.versions.node,
    redis: /^redis_version:(.+)$/m.exec(info)?.[1]?.trim() ?? 'of an unknown version',
    packages: Object.assign(
      Object.fromEntries(packages.map((name) => [name, version(name)])),
      ...Object.values(programs).map(({ versions }) => versions),
    ) as Record<string, string>,
    machine: {
      processor: processor?.model.trim() ?? 'unknown',
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: `${platform()} ${arch()}`,
    },
    loadBefore: loadavg()[0] ?? 0,
  };
}
