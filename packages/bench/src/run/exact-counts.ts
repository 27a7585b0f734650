/**
 * How many commands holdfast sends, exactly, whatever the machine is busy with: the one thing that a benchmark can fail on. The server
 * counts them. Safety nets that only time would trigger, renewals and repeated asks, are set so far apart that none falls into a count.
 */
import { countCommands, type RedisServer, waitUntil } from '@holdfast/testkit';
import { createLockClient, type LockClient } from 'holdfast';
import { Redis } from 'ioredis';

/** One exact number. */
export interface ExactCount {
  readonly what: string;
  readonly expected: number;
  readonly counted: number;
}

interface Count {
  readonly what: string;
  readonly expected: number;
  /** What is counted. `inner`: the commands that scripts call, which are what a script costs Redis. */
  readonly kind: 'scripts' | 'inner';
  readonly run: (clients: Clients) => Promise<void>;
}

/** Clients on one server, as many processes as far as Redis can tell. */
interface Clients {
  readonly client: (index: number) => LockClient;
  /** Resolves when so many wait for the lock. */
  readonly queued: (name: string, count: number) => Promise<void>;
}

/** As the server counts them. */
type Commands = Readonly<Record<string, number>>;

/** What clients send here, and scripts do not call. */
const sentByClients: ReadonlySet<string> = new Set(['evalsha', 'eval', 'ping', 'info']);

const counters: Readonly<Record<Count['kind'], (commands: Commands, looks: number) => number>> = {
  scripts: ({ evalsha = 0, eval: byText = 0 }) => evalsha + byText,
  inner(commands, looks) {
    const called = Object.entries(commands).filter(([name]) => !sentByClients.has(name));
    return called.reduce((sum, [, calls]) => sum + calls, -looks);
  },
};

const CLIENTS = 9;

const nested = (client: LockClient, depth: number): Promise<unknown> =>
  client.getLock('nested').withLock(() => (depth > 1 ? nested(client, depth - 1) : undefined));

const ROUNDS = 10;

async function handOver({ client, queued }: Clients, waiting: number): Promise<void> {
  const name = `handed-over-${waiting}`;
  const hold = await client(0).getLock(name).acquire();
  const others = Array.from({ length: waiting }, (_, index) => client(index + 1).getLock(name));
  const all = others.map((lock) => lock.withLock(() => undefined));
  await queued(name, waiting);
  await hold.release();
  await Promise.all(all);
}

const handoffs = (waiting: number, kind: Count['kind'], expected: number): Count => ({
  what: `a lock that goes ${ROUNDS} times through the hands of ${waiting + 1} processes${kind === 'inner' ? ', called by scripts' : ''}`,
  ...{ kind, expected },
  async run(clients) {
    for (let round = 0; round < ROUNDS; round++) await handOver(clients, waiting);
  },
});

/** How many wait, and what all scripts of one such round call together: 7 to 12 in each of them. */
const innerOf = [
  [1, 30],
  [3, 76],
  [8, 191],
] as const;

const SECTIONS = 100;

/** What one task sends for sections of its own, one after the other. */
const alone = (what: string, each: number, section: (client: LockClient) => Promise<unknown>): Count => ({
  what: `${SECTIONS} sections of one task, ${what}`,
  kind: 'scripts',
  expected: each * SECTIONS,
  async run({ client }) {
    for (let i = 0; i < SECTIONS; i++) await section(client(0));
  },
});

const nothing = () => undefined;

const family: readonly Count[] = [
  alone('a fair lock', 2, (client) => client.getFairLock('fair').withLock(nothing)),
  alone('a fenced lock', 2, (client) => client.getFencedLock('fenced').withLock(nothing)),
  alone('a spin lock', 2, (client) => client.getSpinLock('spin').withLock(nothing)),
  alone('a write lock', 2, (client) => client.getReadWriteLock('written').writeLock().withLock(nothing)),
  alone('a read lock', 2, (client) => client.getReadWriteLock('read').readLock().withLock(nothing)),
  alone('a lock of two names', 2, (client) => client.getMultiLock(['{both}:a', '{both}:b']).withLock(nothing)),
  alone('a permit', 2, async (client) => (await client.getSemaphore('permits', { permits: 1 }).acquire()).release()),
  {
    what: '1,000 sections of 50 tasks of one process, a read lock',
    kind: 'scripts',
    expected: 2,
    async run({ client }) {
      const lock = client(0).getReadWriteLock('shared-read').readLock();
      await Promise.all(Array.from({ length: 1_000 }, () => lock.withLock(nothing)));
    },
  },
];

const counts: readonly Count[] = [
  {
    what: '100 sections of one task',
    kind: 'scripts',
    expected: 200,
    async run({ client }) {
      for (let i = 0; i < 100; i++)
        await client(0)
          .getLock('uncontended')
          .withLock(() => undefined);
    },
  },
  {
    what: '64 locks at once',
    kind: 'scripts',
    expected: 128,
    async run({ client }) {
      await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          client(0)
            .getLock(`own-${index}`)
            .withLock(() => undefined),
        ),
      );
    },
  },
  {
    what: '1,000 sections of 50 tasks of one process on one lock',
    kind: 'scripts',
    expected: 2,
    async run({ client }) {
      const lock = client(0).getLock('shared');
      await Promise.all(Array.from({ length: 1_000 }, () => lock.withLock(() => undefined)));
    },
  },
  {
    what: 'a lock nested five deep',
    kind: 'scripts',
    expected: 10,
    async run({ client }) {
      await nested(client(0), 5);
    },
  },
  {
    what: 'an attempt at a lock that is held, besides the two of its holder',
    kind: 'scripts',
    expected: 3,
    async run({ client }) {
      await client(0)
        .getLock('busy')
        .withLock(() => client(1).getLock('busy').tryAcquire());
    },
  },
  ...[1, 3, 8].map((waiting) => handoffs(waiting, 'scripts', 2 * (waiting + 1) * ROUNDS)),
  ...innerOf.map(([waiting, each]) => handoffs(waiting, 'inner', each * ROUNDS)),
  ...family,
];

/** A client whose subscription is on its way asks once more when it arrives. */
async function everybodyListens(admin: Redis, clients: readonly LockClient[]): Promise<void> {
  await Promise.all(clients.map((client) => client.getLock('first').withLock(() => undefined)));
  const all = async () => (await admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === clients.length;
  await waitUntil(all, { what: 'a subscription of every client', timeoutMs: 60_000 });
}

/** Counts all of them. */
export async function exactCounts(server: RedisServer): Promise<ExactCount[]> {
  const admin = await server.admin();
  const patient = { claimLeaseMs: 300_000, reaskMs: 200_000, watchdogTimeoutMs: 600_000, responseTimeoutMs: 60_000 };
  const connections = Array.from({ length: CLIENTS }, () => new Redis(server.url));
  const clients = connections.map((redis) => createLockClient({ redis, ...patient, attemptTimeoutMs: 60_000 }));
  let looks = 0;
  const hands: Clients = {
    client(index) {
      const client = clients[index];
      if (client === undefined) throw new RangeError(`there are ${CLIENTS} clients`);
      return client;
    },
    async queued(name, count) {
      const all = async () => {
        looks++;
        return (await admin.zcard(`holdfast_queue:{${name}}`)) === count;
      };
      await waitUntil(all, { what: `${count} waiters`, timeoutMs: 60_000 });
      // Behind their replies: a waiter that is granted the lock before it knows that it waits asks once more.
      await Promise.all(connections.map((redis) => redis.ping()));
    },
  };
  try {
    await everybodyListens(admin, clients);
    const results: ExactCount[] = [];
    for (const { what, kind, expected, run } of counts) {
      await run(hands); // the first time makes the scripts known and the clients connected
      const counter = await countCommands(admin);
      looks = 0;
      await run(hands);
      results.push({ what, expected, counted: counters[kind](await counter.delta(), looks) });
    }
    return results;
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    for (const redis of connections) redis.disconnect();
  }
}
