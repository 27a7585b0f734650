import { randomUUID } from 'node:crypto';
import type { RedisKit } from '@holdfast/testkit';
import { createLockClient, type LockClient, type LockClientOptions } from 'holdfast';

/** A client on the kit's server, closed when the test has ended. */
export function openClient(kit: RedisKit, options: Partial<LockClientOptions> = {}): LockClient {
  const client = createLockClient({ redis: kit.server.url, ...options });
  kit.cleanup(() => client.close());
  return client;
}

/** A lock name of the test's own: the server may be shared. */
export function freshName(): string {
  return `lock-${randomUUID()}`;
}

/** The hold count in Redis, as Redisson reads it; 0 when nobody holds the lock. */
export async function holdsInRedis(kit: RedisKit, name: string): Promise<number> {
  const fields = Object.entries(await kit.admin.hgetall(name)).filter(([field]) => field !== 'seq');
  if (fields.length > 1) throw new Error(`${name} has several owners: ${JSON.stringify(fields)}`);
  return Number(fields[0]?.[1] ?? 0);
}
