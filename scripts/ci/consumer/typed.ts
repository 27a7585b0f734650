// Compiled twice, as typed.mts and as typed.cts, strictly and without skipLibCheck: our declarations have to stand alone.
import { randomUUID } from 'node:crypto';
import {
  createLockClient,
  type Hold,
  type LockClient,
  type LockClientOptions,
  type LockLostReason,
  LockTimeoutError,
  type RLock,
  type TryResult,
} from 'holdfast';
import { Redis } from 'ioredis';

async function use(client: LockClient): Promise<void> {
  const lost: LockLostReason[] = [];
  client.on('lost', ({ error }) => lost.push(error.reason));
  const lock: RLock = client.getLock(`smoke:${randomUUID()}`);

  const length: number = await lock.withLock(async (hold: Hold) => hold.name.length);
  const tried: TryResult<number> = await lock.tryWithLock({ waitMs: 100 }, () => length);
  if (!tried.ran || tried.value !== lock.name.length) throw new Error('a free lock was refused');

  {
    await using hold = await lock.acquire({ leaseMs: 5_000 });
    hold.assertHeld();
    const late: unknown = await lock.acquire({ waitMs: 50 }).catch((error: unknown) => error);
    if (!(late instanceof LockTimeoutError)) throw new Error('a held lock was given away');
  }
  if (await lock.isLocked()) throw new Error('the block was left and the lock is held');
  if (lost.length > 0) throw new Error(`lost: ${lost.join()}`);
}

async function main(): Promise<void> {
  const redis = new Redis(process.env['REDIS_URL'] ?? '');
  const options: LockClientOptions = { redis };
  const client = createLockClient(options);
  await use(client);
  await client.close();
  redis.disconnect();
}

void main();
