import { randomUUID } from 'node:crypto';
import { type RedisKit, waitUntil } from '@holdfast/testkit';
import { createLockClient, type LockClient, type LockClientOptions } from 'holdfast';

/** A client on the kit's server, closed when the test has ended. */
export function openClient(kit: RedisKit, options: Partial<LockClientOptions> = {}): LockClient {
  const client = createLockClient({ redis: kit.server.url, ...options });
  kit.cleanup(() => client.close());
  return client;
}

/** Until the client is connected and hears its inbox: its first wait would cost one ask more. */
export async function warmUp(kit: RedisKit, client: LockClient): Promise<void> {
  await client.getLock(freshName()).withLock(() => undefined);
  const listens = async () =>
    String(await kit.admin.pubsub('NUMSUB', `holdfast_inbox:${client.clientId}`)).endsWith(',1');
  await waitUntil(listens, { what: 'the client listens' });
  // Its answer comes when the client has been told so.
  await client.inspect(freshName());
}

/** A lock name of the test's own: the server may be shared. */
export function freshName(): string {
  return `lock-${randomUUID()}`;
}

/** The hold count in Redis, as Redisson reads it; 0 when nobody holds the lock. */
export async function holdsInRedis(kit: RedisKit, name: string): Promise<number> {
  const fields = Object.entries(await kit.admin.hgetall(name)).filter(([field]) => field.includes(':'));
  if (fields.length > 1) throw new Error(`${name} has several owners: ${JSON.stringify(fields)}`);
  return Number(fields[0]?.[1] ?? 0);
}

/** Renewals that Redis has confirmed. Where time is driven a lease may be as long as it should be: then none is made longer. */
export function confirmedRenewals(client: LockClient): number {
  const { renewed, held } = client.stats().renewals;
  return renewed + held;
}
