import { type RedisKit, spawnWorker, type TestWorker } from '@holdfast/testkit';
import type { LockClientOptions } from 'holdfast';
import type { methods } from './lock.worker.js';
import { whichIoredis } from './which-ioredis.js';

/** Another process with a lock client, killed when the test has ended. */
export type LockWorker = TestWorker<typeof methods>;

const file = new URL('./lock.worker.ts', import.meta.url);

/** Whether this test project runs on ioredis 5. */
export const usesIoredis5 = whichIoredis !== 'ioredis';

/** Starts a process with a client on the kit's server, and on the ioredis that this test project runs on. `aheadMs`: its clock is that wrong. */
export async function spawnLockWorker(
  kit: RedisKit,
  options: Partial<LockClientOptions> = {},
  { aheadMs = 0 }: { aheadMs?: number } = {},
): Promise<LockWorker> {
  const args = [JSON.stringify({ redis: kit.server.url, ...options }), `${aheadMs}`];
  const worker = await spawnWorker<typeof methods>(file, { args, ioredis: whichIoredis });
  kit.cleanup(() => worker.stop());
  return worker;
}
