import { serveWorker, waitUntil } from '@holdfast/testkit';
import { createLockClient, type FencedHold, type Hold, type LockClientOptions, type LockError } from 'holdfast';
import { whichIoredis } from './which-ioredis.js';

/** What a {@link methods} worker is started with, as its argument. */
export interface LockWorkerOptions extends Partial<LockClientOptions> {
  redis: string;
}

const aheadMs = Number(process.argv[3] ?? 0);
if (aheadMs !== 0) {
  const trueNow = Date.now;
  Date.now = () => trueNow() + aheadMs;
}

const client = createLockClient(JSON.parse(process.argv[2] ?? '') as LockWorkerOptions);
const holds: Hold[] = [];
let fenced: FencedHold | undefined;
let looping = true;
let sections = 0;

export const methods = {
  whichIoredis: (): string => whichIoredis,
  acquire: async (name: string): Promise<void> => {
    holds.push(await client.getLock(name).acquire());
  },
  tryAcquire: async (name: string, waitMs: number): Promise<boolean> => {
    const hold = await client.getLock(name).tryAcquire({ waitMs });
    if (hold !== null) holds.push(hold);
    return hold !== null;
  },
  /** So many calls for a fair lock, at once. */
  waitFairly: async (name: string, calls: number): Promise<void> => {
    const lock = client.getFairLock(name);
    holds.push(...(await Promise.all(Array.from({ length: calls }, () => lock.acquire()))));
  },
  release: async (): Promise<void> => holds.pop()?.release(),
  acquireFenced: async (name: string, leaseMs: number): Promise<number> => {
    fenced = await client.getFencedLock(name).acquire({ leaseMs });
    return fenced.token;
  },
  /** Writes under that lock; answers `written`, or the code of the error. */
  guardedSet: async (key: string, value: string): Promise<string> => {
    try {
      await fenced?.guard.set(key, value);
      return 'written';
    } catch (error) {
      return (error as LockError).code;
    }
  },
  /** Runs `count` critical sections, one after the other. */
  cycles: async (name: string, count: number): Promise<void> => {
    const lock = client.getLock(name);
    for (let i = 0; i < count; i++) await lock.withLock(() => undefined);
  },
  /** Runs critical sections of `tasks` tasks until {@link stopLoop}, each until so many others stand in line; answers how many. */
  loop: async (name: string, tasks: number, others: number): Promise<number> => {
    looping = true;
    sections = 0;
    const lock = client.getLock(name);
    const allWait = async () => !looping || (await client.inspect(name)).queue.length === others;
    const task = async () => {
      while (looping) {
        await lock.withLock(async () => {
          await waitUntil(allWait, { what: 'all others to stand in line', timeoutMs: 90_000 });
          sections++;
        });
      }
    };
    await Promise.all(Array.from({ length: tasks }, task));
    return sections;
  },
  /** Of the loop, up to now. */
  sections: (): number => sections,
  now: (): number => Date.now(),
  /** Answers whether it ran here. */
  oncePer: async (name: string, periodMs: number): Promise<boolean> =>
    (await client.oncePer(name, periodMs, () => undefined)).ran,
  /** Answers when it runs, which does not end. */
  beginOncePer: (name: string, periodMs: number): Promise<void> =>
    new Promise((begun) => {
      void client.oncePer(name, periodMs, () => {
        begun();
        return new Promise(() => undefined);
      });
    }),
  stopLoop: (): void => {
    looping = false;
  },
  close: (): Promise<void> => client.close(),
};

serveWorker({ methods });
