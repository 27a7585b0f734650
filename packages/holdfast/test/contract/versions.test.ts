import { describe, expect, it } from '@jest/globals';
import { useRedis } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { openClient } from '../support/clients.js';
import { usesIoredis5 } from '../support/workers.js';

/** What `npm run versions` says that it runs the contract on; without it, what the project is made for. */
const claimed = {
  resp: process.env['HOLDFAST_RESP'] ?? (usesIoredis5 ? '2' : '3'),
  server: process.env['HOLDFAST_SERVER'],
  node: process.env['HOLDFAST_NODE'] ?? process.version,
};

const kit = useRedis();

describe('the contract is spoken', () => {
  it('in the protocol that is claimed, by the connections of a client too', async () => {
    const redis = new Redis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    const hello = [await redis.call('HELLO')].flat().map(String);
    expect(hello[hello.indexOf('proto') + 1]).toBe(claimed.resp);
    const client = openClient(kit);
    await client.getLock('lock').withLock(async () => undefined);
    const connections = String(await kit.admin.client('LIST')).split('\n');
    const spoken = connections.flatMap((line) => /\bresp=(\d)/.exec(line)?.[1] ?? []); // Redis 7 and later say it
    expect(spoken.filter((resp) => resp !== claimed.resp)).toEqual([]);
  });

  it('with the server and the Node that are claimed', async () => {
    const info = await kit.admin.info('server');
    const field = (name: string): string => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? '';
    const valkey = field('valkey_version');
    const server = valkey === '' ? `Redis ${field('redis_version')}` : `Valkey ${valkey}`;
    expect(server).toBe(claimed.server ?? server);
    expect(process.version).toBe(claimed.node);
  });
});
