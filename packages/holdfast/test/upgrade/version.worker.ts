import { serveWorker } from '@holdfast/testkit';
import { createLockClient, type Hold, type LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';

const options = JSON.parse(process.argv[2] ?? '') as LockClientOptions & { redis: string };
const client = createLockClient(options);
const holds: Hold[] = [];
let busy = false;

export const methods = {
  acquire: async (name: string): Promise<void> => {
    holds.push(await client.getLock(name).acquire());
  },
  /** One attempt. */
  tryAcquire: async (name: string): Promise<boolean> => {
    const hold = await client.getLock(name).tryAcquire();
    if (hold !== null) holds.push(hold);
    return hold !== null;
  },
  release: async (): Promise<void> => holds.pop()?.release(),
  /** Resolves with the reason when the newest hold is lost. */
  lossOfNewest: async (): Promise<string> => {
    const signal = holds.pop()?.signal;
    if (signal === undefined) throw new Error('there is no hold');
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return (signal.reason as { reason: string }).reason;
  },
  force: (name: string): Promise<boolean> => client.getLock(name).forceUnlock(),
  /** Adds one to a number in Redis `times` times, by reading and writing: only the lock keeps additions from being lost. */
  add: async (name: string, counter: string, times: number): Promise<void> => {
    const redis = new Redis(options.redis);
    try {
      for (let n = 0; n < times; n++) {
        await client.getLock(name).withLock(async () => {
          await redis.set(counter, Number(await redis.get(counter)) + 1, 'EX', 600);
        });
      }
    } finally {
      redis.disconnect();
    }
  },
  /** Tasks pass the lock to each other until {@link stopBusy}; there is always one that waits. */
  keepBusy: async (name: string): Promise<void> => {
    busy = true;
    const task = async (): Promise<void> => {
      while (busy) await client.getLock(name).withLock(() => undefined);
    };
    await Promise.all(Array.from({ length: 20 }, task));
  },
  stopBusy: (): void => {
    busy = false;
  },
  close: (): Promise<void> => client.close(),
};

serveWorker({ methods });
