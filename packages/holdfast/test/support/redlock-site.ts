import { type FaultProxy, faultProxy, guardLeaks, type RedisServer, startPrivateRedis } from '@holdfast/testkit';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { createRedLockClient, type RedLockClient, type RedLockClientOptions } from 'holdfast';

/** Five servers that know nothing of each other, each behind a proxy that can cut it off. */
export interface RedLockSite {
  readonly servers: readonly RedisServer[];
  readonly proxies: readonly FaultProxy[];
  /** A client whose nodes may vote, closed when the test has ended. */
  open(options?: Partial<RedLockClientOptions>): Promise<RedLockClient>;
  /** Those of these nodes on which the lock is taken. They must answer. */
  takenOn(name: string, nodes?: readonly number[]): Promise<number[]>;
}

const NODES = [0, 1, 2, 3, 4];
/** These keep their data when they are restarted. */
const KEEPS = new Set([3, 4]);

/** Started before the tests of a file. Each test leaves all nodes in order. */
export function redlockSite(defaults: Partial<RedLockClientOptions>): RedLockSite {
  let servers: RedisServer[] = [];
  let proxies: FaultProxy[] = [];
  beforeAll(async () => {
    servers = await Promise.all(
      NODES.map((node) =>
        startPrivateRedis(KEEPS.has(node) ? { args: ['--appendonly', 'yes', '--appendfsync', 'always'] } : {}),
      ),
    );
    // The tests' own connections are there before any test that looks for leaks.
    await Promise.all(servers.map((server) => server.admin()));
    proxies = await Promise.all(servers.map((target) => faultProxy({ target })));
  }, 60_000);
  const leaks = guardLeaks();
  beforeEach(() => {
    for (const proxy of proxies) leaks.cleanup(() => proxy.heal());
    for (const server of servers) leaks.cleanup(() => server.continueProcess());
  });
  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all(servers.map((server) => server.stop()));
  });
  return {
    get servers() {
      return servers;
    },
    get proxies() {
      return proxies;
    },
    open: async (options) => {
      const client = createRedLockClient({ nodes: proxies.map(({ url }) => url), ...defaults, ...options });
      leaks.cleanup(() => client.close());
      await client.connect({ timeoutMs: 30_000 });
      return client;
    },
    takenOn: async (name, nodes = NODES) => {
      const isThere = async (node: number) => (await (await servers[node]?.admin())?.exists(name)) === 1;
      const there = await Promise.all(nodes.map(isThere));
      return nodes.filter((_, index) => there[index]);
    },
  };
}
