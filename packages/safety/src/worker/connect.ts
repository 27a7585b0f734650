import { createLockClient, type LockClient } from 'holdfast';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { type Reach, WORKER_USER } from '../site/reach.js';
import type { ClientPlan, Times } from './plan.js';

/** A lock client, and what has to be ended besides it. */
export interface Connected {
  readonly client: LockClient;
  close(): Promise<void>;
}

/** What makes ioredis answer as a server that asks for no password does. */
const login: RedisOptions = { username: WORKER_USER, password: 'any' };

function optionsFor(reach: Exclude<Reach, { kind: 'cluster' }>): RedisOptions {
  if (reach.kind === 'single') return { ...login, ...reach.at };
  const { sentinels, name, natMap } = reach;
  return { ...login, sentinels: sentinels.map((address) => ({ ...address })), name, natMap: { ...natMap } };
}

/** For the Cluster a client of the user's is the only way in; it is a template there. */
function inputFor({ ownership, reach }: ClientPlan): RedisOptions | Redis | Cluster {
  if (reach.kind === 'cluster') {
    const nodes = reach.nodes.map((address) => ({ ...address }));
    return new Cluster(nodes, { lazyConnect: true, natMap: { ...reach.natMap }, redisOptions: { ...login } });
  }
  const options = optionsFor(reach);
  return ownership === 'ours' ? options : new Redis(options);
}

export function connect(plan: ClientPlan, times: Times, onError: (error: unknown) => void): Connected {
  const input = inputFor(plan);
  const own = input instanceof Redis || input instanceof Cluster ? input : undefined;
  own?.on('error', () => undefined); // faults are the purpose; ioredis would print them
  const client = createLockClient({ redis: input, ...times });
  client.on('error', onError);
  return {
    client,
    async close() {
      await client.close();
      own?.disconnect();
    },
  };
}
