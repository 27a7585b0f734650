/**
 * Programs as users write them, each a process of its own: `exit.script.ts <program> <redis url> <lock name>`. They print what they have
 * got to, a word a line. Nothing but the program itself keeps the process alive.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createLockClient, LockClientClosedError } from 'holdfast';
import Redlock from 'holdfast/redlock';
import { Redis } from 'ioredis';

const [program, redis, lockName] = isMainThread ? process.argv.slice(2) : (workerData as string[]);
if (program === undefined || redis === undefined || lockName === undefined) {
  throw new Error('program, redis url, lock name');
}
const [url, name]: [string, string] = [redis, lockName];

const say = (word: string) => process.stdout.write(`${word}\n`);
const open = () => createLockClient({ redis: url, watchdogTimeoutMs: 1_000 });
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: { code?: string }) => String(error.code),
  );
const never = () => new Promise<never>(() => undefined);

const thread = (inside: string) => new Worker(new URL(import.meta.url), { workerData: [inside, url, name] });

/** Serves requests that hold the lock while they do `work`, until SIGTERM. */
async function serve(drainMs: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const client = open();
  const server = createServer((_request, response) => {
    const section = client.getLock(name).withLock((hold) => {
      say('serving');
      return work(hold.signal);
    });
    section.then(
      () => response.end('done'),
      (error: { code?: string }) => response.end(error.code),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.once('SIGTERM', () => {
    server.close();
    void client.close({ drainMs });
  });
  say(`port ${(server.address() as AddressInfo).port}`);
}

/** Nothing listens at the client's address; it is ended while it pauses between two attempts to connect. */
async function lockInVain(end: (ioredis: Redis) => unknown): Promise<void> {
  const ioredis = new Redis('redis://127.0.0.1:1', { maxRetriesPerRequest: 1, retryStrategy: () => 60_000 });
  ioredis.on('error', () => undefined);
  const redlock = new Redlock([ioredis], { retryCount: 0 });
  await redlock.acquire([name], 1_000).catch(({ name: error }: Error) => say(error));
  await end(ioredis);
  say(ioredis.status);
}

const programs: Record<string, () => Promise<void>> = {
  'forgets to close': async () => {
    await open()
      .getLock(name)
      .withLock(() => undefined);
    say('done');
  },
  closes: async () => {
    await using client = open();
    await client.getLock(name).withLock(() => undefined);
    say('done');
  },
  'never locks': async () => {
    open();
  },
  'fails with a lock held': async () => {
    await using client = open();
    await client.getLock(name).acquire();
    throw new RangeError('of the program');
  },
  'leaves a loss uncaught': async () => {
    const client = open();
    void client.getLock(name).withLock(async (hold) => {
      say('holds');
      await once(hold.signal, 'abort');
    });
  },
  'hears of a loss': async () => {
    const client = open();
    client.on('lost', ({ error }) => {
      say(error.reason);
      void client.close();
    });
    await client.getLock(name).acquire();
    say('holds');
  },
  'waits and is closed': async () => {
    const client = open();
    const waiting = client.getLock(name).lock();
    process.once('SIGTERM', () => void client.close());
    say('waits');
    await waiting.catch((error: { code?: string }) => say(String(error.code)));
  },
  'waits and is served': async () => {
    await using client = open();
    say('waits');
    await client.getLock(name).withLock(() => say('served'));
  },
  'server that finishes': () => serve(10_000, () => once(process, 'SIGTERM')),
  'server that does not finish': () => serve(100, (signal) => once(signal, 'abort')),
  'takes its lock by redlock while Redis is down, and disconnects': () => lockInVain((ioredis) => ioredis.disconnect()),
  'takes its lock by redlock while Redis is down, and quits': () => lockInVain((ioredis) => ioredis.quit()),
  worker: async () => {
    const client = open();
    process.once('SIGTERM', () => void client.close({ drainMs: 5_000 }));
    try {
      for (let first = true; ; first = false) {
        await client.getLock(name).withLock(() => {
          if (first) say('works');
          return new Promise(setImmediate);
        });
      }
    } catch (error) {
      if (!(error instanceof LockClientClosedError)) throw error;
    }
  },
  'holds, waits and nests': async () => {
    const client = open();
    let nesting = Promise.resolve();
    await new Promise<void>((inside) => {
      nesting = client.getLock(`${name}-nested`).withLock(async () => {
        const told = once(process, 'SIGTERM');
        say('holds');
        inside();
        await told;
        await client.getLock(`${name}-nested`).withLock(() => say('nested'));
      });
    });
    const forgotten = await client.getLock(`${name}-forgotten`).acquire();
    const calls = [
      nesting,
      client.getLock(`${name}-forgotten`).lock(),
      client.getLock(`${name}-elsewhere`).lock(),
      client.getLock(`${name}-elsewhere`).withLock(() => say('never')),
    ].map(outcomeOf);
    process.once('SIGTERM', () => void client.close({ drainMs: 500 }));
    say('waits');
    for (const call of calls) say(await call);
    say(await outcomeOf(once(forgotten.signal, 'abort').then(() => forgotten.release())));
  },
  'has a thread that closes when told': async () => {
    const holder = thread('holds until told');
    await once(holder, 'message');
    const told = once(process, 'SIGTERM');
    say('holds');
    await told;
    holder.postMessage('close', []);
    const [code] = (await once(holder, 'exit')) as [number];
    say(`exit ${code}`);
  },
  'ends a thread that holds': async () => {
    const holder = thread('holds for ever');
    await once(holder, 'message');
    await holder.terminate();
    say('terminated');
  },
  'has a thread that fails': async () => {
    const failing = thread('leaves a loss uncaught in a thread');
    const [error] = (await once(failing, 'error')) as [{ code?: string }];
    say(String(error.code));
  },
  'holds for ever': async () => {
    await open().getLock(name).acquire();
    parentPort?.postMessage('holds', []);
    await never();
  },
  'holds until told': async () => {
    const client = open();
    const section = client.getLock(name).withLock(async (hold) => {
      parentPort?.postMessage('holds', []);
      await once(hold.signal, 'abort');
    });
    parentPort?.once('message', () => void client.close({ drainMs: 50 }));
    await outcomeOf(section);
  },
  'leaves a loss uncaught in a thread': async () => {
    const lock = open().getLock(name);
    void lock.withLock(() => lock.forceUnlock());
  },
};

await programs[program]?.();
