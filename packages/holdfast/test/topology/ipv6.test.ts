/** Servers whose addresses have colons of their own. */
import { networkInterfaces } from 'node:os';
import { type RedisKit, type RedisServer, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { createLockClient, type LockClientOptions } from 'holdfast';
import { Cluster } from 'ioredis';
import { type Finding, holdfast } from '../cli/terminal.js';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { handedOverBehind, useCluster } from '../support/topologies.js';

const host = '::1';
const hasIt = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === host));
if (!hasIt) process.stderr.write('skipped: servers at addresses of IPv6: this machine has none\n');

(hasIt ? describe : describe.skip)('at addresses of IPv6', () => {
  const kit = useCluster({ args: ['--bind', `127.0.0.1 ${host}`, '--cluster-announce-ip', host] });
  const open = (options: Partial<LockClientOptions> = {}) => {
    const cluster = new Cluster(
      kit.nodes.map(({ port }) => ({ host, port })),
      { lazyConnect: true },
    );
    kit.cleanup(() => cluster.disconnect());
    return kit.open({ redis: cluster, watchdogTimeoutMs: 30_000, ...options });
  };
  const call = (url: string, ...args: string[]) =>
    holdfast({ server: { url }, cleanup: kit.cleanup } as unknown as RedisKit, args);

  it('a hold goes on when a replica takes over and its slot moves, and its waiter is served', async () => {
    await handedOverBehind(kit, [open(), open()], async (name) => {
      const from = await kit.cluster.failover(name);
      const to = (await kit.cluster.masters()).find((master) => master !== from) as RedisServer;
      await kit.cluster.migrateSlot(await kit.cluster.slotOf(name), to);
    });
  }, 120_000);

  it('the command line names servers with brackets', async () => {
    const [{ port }] = kit.nodes as [RedisServer];
    const outcome = await call(`redis://[${host}]:${port}`, 'doctor', '--cluster', '--json');
    const [{ findings }] = outcome.json as [{ findings: Finding[] }];
    const named = new Set(findings.flatMap(({ node }) => node ?? []));
    expect(named).toEqual(new Set(kit.nodes.map((node) => `[${host}]:${node.port}`)));
    expect(outcome.code).toBe(0);
    const { code, errors } = await call(`redis://[${host}]:1`, 'ls', '--timeout', '500ms');
    expect({ code, errors }).toEqual({ code: 69, errors: expect.stringContaining('ECONNREFUSED') });
  });

  it('a client names servers with brackets in its events', async () => {
    const client = kit.open({ redis: `redis://[${host}]:1` });
    const told: string[] = [];
    client.on('error', ({ message }) => void told.push(message));
    await expect(client.connect({ timeoutMs: 200 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await waitUntil(() => told.length > 0, { what: 'the event' });
    expect(told[0]).toContain(`for commands to [${host}]:1: nothing listens`);
  });

  it('a client names the server that refuses a renewal with brackets', async () => {
    const name = freshName();
    const keeper = await kit.cluster.nodeOfKey(name);
    const client = open({ watchdogTimeoutMs: 2_000 });
    const told: string[] = [];
    client.on('error', ({ message }) => void told.push(message));
    const hold = await client.getLock(name).acquire();
    const admin = await keeper.admin();
    await admin.acl('SETUSER', 'default', '-pexpire');
    await waitUntil(() => told.some((each) => each.includes('renewals')), { what: 'the event' });
    await admin.acl('SETUSER', 'default', '+pexpire');
    expect(told).toContainEqual(expect.stringContaining(`renewals at [${host}]:${keeper.port}`));
    await hold.release();
  });

  it('a refusal names the server with brackets', async () => {
    const name = freshName();
    const { port } = await kit.cluster.nodeOfKey(name);
    const lock = open().getLock(`{${name}}`);
    const server = await (await kit.cluster.nodeOfKey(name)).admin();
    await server.set(lock.name, 'no lock');
    const message = expect.stringContaining(`Redis at [${host}]:${port} refused`) as unknown;
    await expect(lock.tryLock()).rejects.toMatchObject({ code: 'LOCK_REFUSED', message });
    await server.del(lock.name);
  });

  it('calls that wait for the map name a server that hangs with brackets', async () => {
    const [hanging] = kit.nodes as [RedisServer];
    const cluster = new Cluster([{ host, port: hanging.port }], { lazyConnect: true, slotsRefreshTimeout: 200 });
    kit.cleanup(() => cluster.disconnect());
    await hanging.stopProcess();
    const client = createLockClient({ redis: cluster, attemptTimeoutMs: 500 });
    kit.cleanup(() => client.close());
    const error = await failureOf(client.getLock(freshName()).tryLock(1_500));
    await hanging.continueProcess();
    await kit.cluster.whenAgreed();
    const message = expect.stringContaining(`[${host}]:${hanging.port}: no answer has come in time`) as unknown;
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', message });
  });
});
