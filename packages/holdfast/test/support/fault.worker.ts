import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { serveWorker } from '@holdfast/testkit';
import { createLockClient, type Hold, type LockClient, type LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';

/** What a hold looks like from inside. */
export interface View {
  state: Hold['state'];
  aborted: boolean;
  remainingMs: number;
  refused: boolean;
}

let client: LockClient;
let own: Redis | undefined;
const holds: Hold[] = [];

function view(hold: Hold): View {
  let refused = false;
  try {
    hold.assertHeld();
  } catch {
    refused = true;
  }
  return { state: hold.state, aborted: hold.signal.aborted, remainingMs: hold.remainingMs(), refused };
}

/** `program`: the bundled thread. */
async function tryInThread(redis: string, name: string, program: string): Promise<{ clientId: string; won: boolean }> {
  const thread = new Worker(program, { workerData: { redis, name } });
  const ended = once(thread, 'exit');
  const [answer] = (await once(thread, 'message')) as [{ clientId: string; won: boolean }];
  await ended;
  return answer;
}

export const methods = {
  open: (options: Partial<LockClientOptions> & { redis: string }): string => {
    client = createLockClient(options);
    return client.clientId;
  },
  /** With a connection of the user's. */
  openOwn: (url: string): void => {
    own = new Redis(url);
    client = createLockClient({ redis: own });
  },
  acquire: async (name: string, leaseMs?: number): Promise<void> => {
    holds.push(await client.getLock(name).acquire(leaseMs === undefined ? {} : { leaseMs }));
  },
  /** Waits for the lock in the background; user code runs when it has it. */
  enter: (name: string): void => {
    void client
      .getLock(name)
      .withLock((hold) => line.emit('entered', view(hold)))
      .catch((error: { code?: string }) => {
        line.emit('failed', error.code);
      });
  },
  /** Computes without a break until the process has stood still for `gapMs`: what the line after that sees. */
  firstLineAfterStandstill: (gapMs: number): View => {
    const [hold] = holds;
    if (hold === undefined) throw new Error('nothing is held');
    // Before the test is told: it may stop this process at once.
    let last = performance.now();
    line.emit('computing', undefined);
    for (;;) {
      const now = performance.now();
      if (now - last > gapMs) return view(hold);
      last = now;
    }
  },
  close: (): Promise<void> => client.close(),
  quitOwn: async (): Promise<void> => void (await own?.quit()),
  exit: (): void => void setImmediate(() => process.exit(0)),
  /** What threads of this process find, one while this thread holds the lock and one after that. */
  threads: (
    redis: string,
    name: string,
    program: string,
  ): Promise<{ distinct: boolean; during: boolean; after: boolean }> =>
    client.run(async () => {
      const lock = client.getLock(name);
      await lock.lock();
      const during = await tryInThread(redis, name, program);
      await lock.unlock();
      const after = await tryInThread(redis, name, program);
      const distinct = new Set([client.clientId, during.clientId, after.clientId]).size === 3;
      return { distinct, during: during.won, after: after.won };
    }),
};

const line = serveWorker({ methods });
