import { execFileSync } from 'node:child_process';
import { arch, cpus, platform, totalmem } from 'node:os';
import type { Redis } from 'ioredis';

/** Of the code that ran. */
export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown'; // a copy without its history
  }
}

/** What a reader needs to judge the figures, and nothing about whose machine it is. */
export async function circumstances(admin: Redis): Promise<string> {
  const redis = /^redis_version:(.+)$/m.exec(await admin.info('server'))?.[1]?.trim() ?? 'of an unknown version';
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${gibibytes} GiB, ${platform()} ${arch()}`;
  return `Node ${process.versions.node}, Redis ${redis} on the same machine: ${machine}`;
}
