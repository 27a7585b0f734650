import type { Redis } from 'ioredis';

/** What the server has used since it started. */
export interface ServerUsage {
  readonly cpuUs: number;
}

/** Reads `INFO cpu`: user and system time of the whole server. */
export async function serverUsage(admin: Redis): Promise<ServerUsage> {
  const info = await admin.info('cpu');
  const seconds = (field: string) => Number(new RegExp(`^${field}:(.+)$`, 'm').exec(info)?.[1]);
  return { cpuUs: (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6 };
}
