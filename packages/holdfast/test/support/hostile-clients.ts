import { type RedisKit, waitUntil } from '@holdfast/testkit';
import { createLockClient, type LockClient, type LockClientOptions, LockError, type RedisInput } from 'holdfast';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { type Case, inBoth, inResp3 } from './hostile-frames.js';
import { HostileServer } from './hostile-server.js';
import { inParts } from './parts.js';

/** Short, so that what no answer comes to is over soon. */
export const times = { attemptTimeoutMs: 200, responseTimeoutMs: 400 };
/** What a busy machine may add, on which the servers of a batch parse and answer in the same process. A call that hangs takes longer. */
const slackMs = 4_000;

type Target = { host: string; port: number };

/** A client as users have it, and the protocol that it speaks with a server that knows both. */
export interface Speaker {
  readonly title: string;
  readonly protocol: 2 | 3;
  open(kit: RedisKit, target: Target): RedisInput;
}

const yours = (kit: RedisKit, redis: Redis): Redis => {
  redis.on('error', () => undefined);
  kit.cleanup(() => redis.disconnect());
  return redis;
};
const quick = { enableReadyCheck: false, disconnectTimeout: 100 };

const onIoredis5: Speaker = {
  title: 'ioredis 5, in RESP2',
  protocol: 2,
  open: (kit, target) => yours(kit, new Redis5({ ...target, ...quick }) as unknown as Redis),
};
/** Of the ioredis that this run is on, which `npm run versions` chooses. */
const ownProtocol = new Redis({ lazyConnect: true }).options.protocol === 3 ? 3 : 2;

/** A client of the user's, with default options but for speed. */
export const yourClient: Speaker = {
  title: `a client of yours, in RESP${ownProtocol}`,
  protocol: ownProtocol,
  open: (kit, target) => yours(kit, new Redis({ ...target, ...quick })),
};
export const byUrl: Speaker = {
  title: `a URL, in RESP${ownProtocol}`,
  protocol: ownProtocol,
  open: (_, { host, port }) => `redis://${host}:${port}`,
};

/** Every frame for a client that understands it. */
export const casesFor = ({ protocol }: Speaker): readonly Case[] => (protocol === 3 ? [...inBoth, ...inResp3] : inBoth);

export const speakers: readonly Speaker[] = [onIoredis5, yourClient];
export const everySpeaker: readonly Speaker[] = [...speakers, byUrl];

/** A client and the server that it will find hostile. */
export interface Encounter {
  readonly server: HostileServer;
  readonly client: LockClient;
  /** Closes the client, and says what is wrong in the end, if anything is. */
  readonly end: () => Promise<string[]>;
}

export async function encounter(
  kit: RedisKit,
  speaker: Speaker,
  options: Partial<LockClientOptions> = {},
): Promise<Encounter> {
  const server = new HostileServer();
  const target = await server.listen();
  kit.cleanup(() => server.close());
  const redis = speaker.open(kit, target);
  const client = createLockClient({ ...times, ...options, redis });
  kit.cleanup(() => client.close());
  await waitUntil(() => client.inspect('none').catch(() => false), { what: 'a connection' });
  return {
    server,
    client,
    end: async () => {
      const faults: string[] = [];
      await waitUntil(() => server.scripts > 0, { what: 'a script to arrive' });
      if (server.scripts > 2_000) faults.push(`${server.scripts} scripts were sent`);
      const spoken = [...server.protocols].join();
      if (spoken !== String(speaker.protocol)) faults.push(`RESP${spoken} was spoken`);
      await client.close();
      if (typeof redis === 'object' && 'disconnect' in redis) redis.disconnect();
      await waitUntil(() => server.connections === 0, { what: 'no connection left' });
      return faults;
    },
  };
}

/** How a call ended: `typed` or `busy`, or what it should not have done. */
export async function ending(boundMs: number, call: () => Promise<unknown>): Promise<string> {
  const startedAt = performance.now();
  const outcome = await call().then(
    (value) => (value === false || value === null ? 'busy' : `resolved with ${JSON.stringify(value)}`),
    (error: unknown) => (error instanceof LockError ? 'typed' : `no typed error: ${String(error)}`),
  );
  const ms = performance.now() - startedAt;
  return ms < boundMs + slackMs ? outcome : `${outcome} after ${Math.round(ms)} ms, not ${boundMs}`;
}

/** The calls that did not end as they should, each with its name. */
export async function faultsOf(calls: Record<string, Promise<string>>): Promise<string[]> {
  const endings = await Promise.all(Object.entries(calls).map(async ([name, end]) => [name, await end]));
  return endings.filter(([, end]) => end !== 'typed' && end !== 'busy').map(([name, end]) => `${name}: ${end}`);
}

/** Of one batch: most of what it takes is a busy machine. */
export const batchLimitMs = 90_000;

/** The cases in batches, for `it.each`. */
export const batches = <C extends readonly [string, ...unknown[]]>(cases: readonly C[]) => inParts(cases, 24);
