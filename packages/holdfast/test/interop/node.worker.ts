import { serveWorker } from '@holdfast/testkit';
import { createLockClient, type Hold, type LockClientOptions, type RLock } from 'holdfast';
import { Cluster, Redis } from 'ioredis';
import { nowUs, type Timing } from './java-peer.js';

/** What the worker is started with, as JSON. */
export interface NodeSettings extends Omit<LockClientOptions, 'redis'> {
  readonly topology: 'single' | 'cluster';
  /** `redis://host:port`. */
  readonly nodes: readonly string[];
}

const { topology, nodes, ...options } = JSON.parse(process.argv[2] ?? '') as NodeSettings;
const open = () => (topology === 'cluster' ? new Cluster([...nodes]) : new Redis(nodes[0] ?? ''));
const redis = open();
const client = createLockClient({ ...options, redis: redis as LockClientOptions['redis'], wakeup: 'redisson' });
const holds: Hold[] = [];

/** By the words that `Locks.java` has for its kinds; a multi-lock is named by its members, with commas in between. */
const lockKinds = {
  plain: (name: string): RLock => client.getLock(name),
  fenced: (name: string): RLock => client.getFencedLock(name),
  fair: (name: string): RLock => client.getFairLock(name),
  spin: (name: string): RLock => client.getSpinLock(name),
  write: (name: string): RLock => client.getReadWriteLock(name).writeLock(),
  multi: (names: string): RLock => client.getMultiLock(names.split(',')),
};

const timed = async (work: () => Promise<void>): Promise<Timing> => {
  const startedUs = nowUs();
  await work();
  return { startedUs, endedUs: nowUs() };
};

export const methods = {
  acquire: (name: string): Promise<Timing> =>
    timed(async () => {
      holds.push(await client.getLock(name).acquire());
    }),
  release: (): Promise<Timing> => timed(async () => holds.pop()?.release()),
  /** As `ClosedLoop.java`: tasks that add 1 to a counter in two commands. Answers how many critical sections were run. */
  loop: async (
    name: string,
    counter: string,
    tasks: number,
    sections: number,
    kind: keyof typeof lockKinds = 'plain',
  ): Promise<number> => {
    const lock = lockKinds[kind](name);
    const task = async () => {
      for (let i = 0; i < sections; i++) {
        await lock.withLock(async () => {
          const before = await redis.get(counter);
          await redis.set(counter, Number(before) + 1);
        });
      }
    };
    await Promise.all(Array.from({ length: tasks }, task));
    return tasks * sections;
  },
  /** As `PermitLoop.java`: tasks that take a permit and count who is inside. Answers how many were at the most. */
  permitLoop: async (name: string, counter: string, tasks: number, sections: number): Promise<number> => {
    const semaphore = client.getSemaphore(name);
    let most = 0;
    const task = async () => {
      for (let i = 0; i < sections; i++) {
        await semaphore.withPermits(async () => {
          most = Math.max(most, await redis.incr(counter));
          await redis.decr(counter);
        });
      }
    };
    await Promise.all(Array.from({ length: tasks }, task));
    return most;
  },
  close: async (): Promise<void> => {
    await client.close();
    redis.disconnect();
  },
};

serveWorker({ methods });
