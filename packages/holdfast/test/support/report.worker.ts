import { waitUntil, serveWorker } from '@holdfast/testkit';
import { createLockClient, type LockClientEvents } from 'holdfast';

/** What the process complained about. */
const complaints: string[] = [];
process.on('warning', (warning) => complaints.push(`warning ${warning.name}: ${warning.message}`));
process.on('unhandledRejection', (reason) => complaints.push(`unhandled rejection: ${String(reason)}`));
process.on('uncaughtException', (error) => complaints.push(`uncaught exception: ${String(error)}`));

type Listener = () => unknown;

const listeners: Record<'throws' | 'rejects' | 'none', Listener | undefined> = {
  throws: () => {
    throw new Error('listener');
  },
  rejects: () => Promise.reject(new Error('listener')),
  none: undefined,
};

const events: readonly (keyof LockClientEvents)[] = ['lost', 'suspect', 'leak', 'self-wait', 'foreign-owner', 'error'];

export const methods = {
  /** Loses and leaks a lock and kills the listening connection, with such listeners on every event; answers what the process said. */
  trouble: async (redis: string, kind: keyof typeof listeners): Promise<{ heard: string[]; complaints: string[] }> => {
    complaints.length = 0;
    const heard: string[] = [];
    // No renewal falls due before the loss: on a busy machine one would be late, and told of as suspect.
    const client = createLockClient({ redis, maxHoldMs: 150 });
    const listener = listeners[kind];
    for (const event of events) {
      if (listener !== undefined) client.on(event, listener as never);
      if (kind !== 'none') client.on(event, () => heard.push(event));
    }
    const hold = await client.getLock('lost').acquire();
    await client.run(() => client.getLock('leak').lock());
    await waitUntil(() => hold.state === 'lost', { what: 'the loss' });
    await hold.release().catch(() => undefined);
    await client.close();
    const down = createLockClient({ redis: 'redis://127.0.0.1:1', attemptTimeoutMs: 50 });
    if (listener !== undefined) down.on('error', listener);
    down.on('error', () => heard.push('error'));
    await down
      .getLock('error')
      .tryLock()
      .catch(() => undefined);
    await down.close();
    await new Promise((resolve) => setImmediate(resolve));
    return { heard: [...new Set(heard)], complaints: [...new Set(complaints)] };
  },
};

serveWorker({ methods });
