import { serveWorker } from '@holdfast/testkit';
import { createLockClient, type Hold, type LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';

const options = JSON.parse(process.argv[2] ?? '') as LockClientOptions & { redis: string };
const client = createLockClient(options);
const holds: Hold[] = [];
let busy = false;

/** What has been taken, whatever it is. */
interface Taken {
  readonly token?: number;
  release(): Promise<void>;
}

/** Each kind of lock, and what else one can have at a time. */
const kinds = {
  lock: (name: string): Promise<Taken> => client.getLock(name).acquire(),
  fair: (name: string): Promise<Taken> => client.getFairLock(name).acquire(),
  fenced: (name: string): Promise<Taken> => client.getFencedLock(name).acquire(),
  read: (name: string): Promise<Taken> => client.getReadWriteLock(name).readLock().acquire(),
  write: (name: string): Promise<Taken> => client.getReadWriteLock(name).writeLock().acquire(),
  multi: (name: string): Promise<Taken> => client.getMultiLock([name, `${name}-b`]).acquire(),
  semaphore: (name: string): Promise<Taken> => client.getSemaphore(name, { permits: 1 }).acquire(),
  permit: async (name: string): Promise<Taken> => {
    const semaphore = client.getPermitExpirableSemaphore(name, { permits: 1 });
    const id = await semaphore.acquire('never');
    return { release: () => semaphore.release(id) };
  },
  election: async (name: string): Promise<Taken> => {
    const leadership = await client.election(name).campaign();
    return { token: leadership.token, release: () => leadership.resign() };
  },
};
export type Kind = keyof typeof kinds;
const taken: Taken[] = [];
/** Settles the call of {@link methods.share} that computes. */
let settle: ((value: string) => void) | undefined;

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
  /** Answers its token, if it has one. */
  take: async (kind: Kind, name: string): Promise<number | undefined> => {
    const one = await kinds[kind](name);
    taken.push(one);
    return one.token;
  },
  /** Takes it from whoever has it, through a handle of that kind. */
  forceAs: (kind: 'lock' | 'write', name: string): Promise<boolean> =>
    (kind === 'lock' ? client.getLock(name) : client.getReadWriteLock(name).writeLock()).forceUnlock(),
  /** Resolves with the reason when what was taken last is lost. */
  lossOfTaken: async (): Promise<string> => {
    const { signal } = taken.pop() as Hold;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return (signal.reason as { reason: string }).reason;
  },
  giveBack: async (): Promise<void> => taken.pop()?.release(),
  /** Has the lock, and keeps it for so long however soon its section is over. */
  keep: (name: string, minHoldMs: number): Promise<void> =>
    client.getLock(name).withLock({ minHoldMs }, () => undefined),
  setLatch: (name: string, count: number): Promise<boolean> => client.getCountDownLatch(name).trySetCount(count),
  countDown: (name: string): Promise<number> => client.getCountDownLatch(name).countDown(),
  awaitLatch: (name: string): Promise<boolean> => client.getCountDownLatch(name).await(),
  /** The value that is shared; what this process would compute is told by {@link methods.settleShared}. */
  share: (name: string): Promise<string> =>
    client.share(name, {
      ttlMs: 60_000,
      fn: () =>
        new Promise<string>((resolve) => {
          settle = resolve;
        }),
    }),
  isComputing: (): boolean => settle !== undefined,
  settleShared: (value: string): void => settle?.(value),
  /** Adds one to a number in Redis `times` times, by reading and writing: only the lock keeps additions from being lost. */
  add: async (name: string, counter: string, times: number, kind: Kind = 'lock'): Promise<void> => {
    const redis = new Redis(options.redis);
    try {
      for (let n = 0; n < times; n++) {
        const one = await kinds[kind](name);
        await redis.set(counter, Number(await redis.get(counter)) + 1, 'EX', 600);
        await one.release();
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
