import { type RedisKit, startPrivateRedis } from '@holdfast/testkit';
import { FakeSentinel } from './fake-sentinel.js';

/** For one test: a replica of the server of the kit, what calls say of it, and a sentinel that names it as the master. */
export async function namedReplica(
  kit: RedisKit,
): Promise<{ readonly sentinel: FakeSentinel; readonly words: string }> {
  const { host, port } = kit.server;
  const replica = await startPrivateRedis({ args: ['--replicaof', host, `${port}`] });
  kit.cleanup(() => replica.stop());
  const sentinel = new FakeSentinel([replica.host, replica.port]);
  await sentinel.listen();
  kit.cleanup(() => sentinel.close());
  return {
    sentinel,
    words: `the server is a replica, and takes no locks (READONLY at ${replica.host}:${replica.port})`,
  };
}
