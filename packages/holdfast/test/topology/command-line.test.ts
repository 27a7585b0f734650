import type { RedisKit } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { holdfast } from '../cli/terminal.js';
import { freshName } from '../support/clients.js';
import { useCluster } from '../support/topologies.js';

const kit = useCluster();

describe('the command line in a Cluster', () => {
  it('finds what a client with the options in the query of its URL has taken', async () => {
    const [{ url, host, port }] = kit.nodes as [(typeof kit.nodes)[number]];
    const cluster = new Cluster([{ host, port }], { lazyConnect: true, redisOptions: { keyPrefix: 'app:' } });
    kit.cleanup(() => cluster.disconnect());
    const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
    const call = (query: string, ...args: string[]) =>
      holdfast(server, [...args, '--cluster'], { env: { REDIS_URL: `${url}${query}` } });
    const client = kit.open({ redis: cluster });
    const [name, pool] = [freshName(), freshName()];
    const hold = await client.getLock(name).acquire();
    const permit = await client.getSemaphore(pool, { permits: 2 }).acquire();
    kit.cleanup(() => cluster.del(pool));
    const query = '/?keyPrefix=app:&connectTimeout=1';
    expect(await call(query, 'inspect', name)).toMatchObject({ code: 0 });
    expect((await call(query, 'ls', '--json')).json).toEqual([expect.objectContaining({ name })]);
    expect((await call(query, 'ls', '--kind', 'semaphore', '--json')).json).toHaveLength(1);
    expect((await call(query, 'doctor', '--json')).json).toEqual([expect.objectContaining({ fit: true })]);
    expect(await call('/?db=1', 'ls')).toMatchObject({ code: 2, errors: expect.stringContaining('no database but 0') });
    expect(await call(query, 'unlock', name, '--yes')).toMatchObject({ code: 0 });
    await permit.release();
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });
});
