import { type FaultProxy, type RedisKit, waitUntil } from '@holdfast/testkit';
import type { LockClient, LockClientOptions, RLock } from 'holdfast';
import { freshName, openClient } from './clients.js';
import { byUrl, type InputWay, openProxy } from './redis-inputs.js';

/** A lease short enough that tests can wait for its end. */
export const leaseMs = 600;
/** Messages that are lost are soon made good. No call ends because the machine is busy: where an outage shall end one, the test says when. */
const quick = {
  watchdogTimeoutMs: leaseMs,
  reaskMs: 100,
  claimLeaseMs: 500,
  attemptTimeoutMs: 500,
  responseTimeoutMs: 20_000,
};

export interface FaultySituation {
  readonly client: LockClient;
  /** Between the client and Redis. */
  readonly proxy: FaultProxy;
  readonly name: string;
  readonly lock: RLock;
  /** A second client, straight to Redis. */
  readonly stranger: LockClient;
}

/** A client behind a proxy, its inbox open, with short times. */
export async function openFaulty(
  kit: RedisKit,
  options: Partial<LockClientOptions> = {},
  way: InputWay = byUrl,
): Promise<FaultySituation> {
  const proxy = await openProxy(kit);
  const client = openClient(kit, { ...quick, ...options, redis: way.open(kit, proxy) });
  // From now on the inbox is open.
  await waitUntil(
    async () => {
      await client.getLock(freshName()).withLock(() => undefined);
      return (await kit.admin.pubsub('CHANNELS', 'holdfast*')).length > 0;
    },
    { what: 'the inbox' },
  );
  const name = freshName();
  return { client, proxy, name, lock: client.getLock(name), stranger: openClient(kit, quick) };
}
