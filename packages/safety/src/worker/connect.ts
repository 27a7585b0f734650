import {
  createLockClient,
  createRedLockClient,
  type LockClient,
  type LockHandleOptions,
  type RLock,
  type RedLockClient,
} from 'holdfast';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { type Reach, WORKER_USER } from '../site/reach.js';
import type { ClientPlan, Ownership, Times } from './plan.js';

/** A lock client, and what has to be ended besides it. */
export interface Connected {
  /** By majority where the servers are independent of each other: then there is no other kind of lock. */
  readonly client: LockClient | RedLockClient;
  readonly lock: (name: string, options?: LockHandleOptions) => RLock;
  /** The client where it has the other kinds of locks. */
  readonly family: LockClient | undefined;
  close(): Promise<void>;
}

/** What makes ioredis answer as a server that asks for no password does. */
const login: RedisOptions = { username: WORKER_USER, password: 'any' };

type OneServer = Extract<Reach, { kind: 'single' | 'sentinel' }>;
type OfOneSystem = Exclude<Reach, { kind: 'majority' }>;

function optionsFor(reach: OneServer): RedisOptions {
  if (reach.kind === 'single') return { ...login, ...reach.at };
  const { sentinels, name, natMap } = reach;
  return { ...login, sentinels: sentinels.map((address) => ({ ...address })), name, natMap: { ...natMap } };
}

/** For the Cluster a client of the user's is the only way in; it is a template there. */
function inputFor(reach: OfOneSystem, ownership: Ownership): RedisOptions | Redis | Cluster {
  if (reach.kind === 'cluster') {
    const nodes = reach.nodes.map((address) => ({ ...address }));
    return new Cluster(nodes, { lazyConnect: true, natMap: { ...reach.natMap }, redisOptions: { ...login } });
  }
  const options = optionsFor(reach);
  return ownership === 'ours' ? options : new Redis(options);
}

/** Longer than the default, which is a lot to ask of a machine with more processes than processors. */
const nodeTimeoutMs = 75;

export function connect({ reach, ownership }: ClientPlan, times: Times, onError: (error: unknown) => void): Connected {
  if (reach.kind === 'majority') {
    const nodes = reach.nodes.map((address) => ({ ...login, ...address }));
    const client = createRedLockClient({ nodes, nodeTimeoutMs, ...times });
    client.on('error', onError);
    return {
      client,
      lock: (name, options) => client.getRedLock(name, options),
      family: undefined,
      close: () => client.close(),
    };
  }
  const input = inputFor(reach, ownership);
  const own = input instanceof Redis || input instanceof Cluster ? input : undefined;
  own?.on('error', () => undefined); // faults are the purpose; ioredis would print them
  const client = createLockClient({ redis: input, ...times });
  client.on('error', onError);
  return {
    client,
    lock: (name, options) => client.getLock(name, options),
    family: client,
    async close() {
      await client.close();
      own?.disconnect();
    },
  };
}
