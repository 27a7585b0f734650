/** A Cluster whose nodes tell the names of their hosts, for which their certificates are, and no address. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificate, issueCertificate, type RedisKit, type RedisServer } from '@holdfast/testkit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { type Finding, holdfast, type Outcome } from '../cli/terminal.js';
import { freshName } from '../support/clients.js';
import { certificate, describeByTls } from '../support/tls.js';
import { handedOverBehind, useCluster } from '../support/topologies.js';

const host = 'localhost';
const folder = mkdtempSync(join(tmpdir(), 'holdfast-names-'));
afterAll(() => rmSync(folder, { recursive: true }));
const ca = join(folder, 'ca');

describeByTls('in a Cluster with TLS whose servers are known by the names of their hosts', () => {
  // Without a program that issues certificates nothing runs.
  const tls = (certificate && issueCertificate({ hosts: [host] })) as Certificate;
  const byName = ['--cluster-announce-hostname', host, '--cluster-preferred-endpoint-type', 'hostname'];
  const kit = useCluster({ tls, args: byName });
  beforeAll(() => writeFileSync(ca, tls.ca));

  const open = () => {
    const cluster = new Cluster(
      kit.nodes.map(({ port }) => ({ host, port })),
      { lazyConnect: true, dnsLookup: (name, found) => found(null, name), redisOptions: { tls: { ca: tls.ca } } },
    );
    kit.cleanup(() => cluster.disconnect());
    return kit.open({ redis: cluster, watchdogTimeoutMs: 30_000 });
  };
  const call = ([command = '', ...more]: string[]): Promise<Outcome> => {
    const [{ port }] = kit.nodes as [RedisServer];
    const server = { server: { url: `rediss://${host}:${port}` }, cleanup: kit.cleanup } as unknown as RedisKit;
    return holdfast(server, [command, '--cluster', '--cacert', ca, '--json', ...more]);
  };
  const findings = ({ json }: Outcome, check: string) =>
    (json as [{ findings: Finding[] }])[0].findings.filter((finding) => finding.check === check);

  it('a hold goes on when a replica takes over, and its waiter is served', async () => {
    await handedOverBehind(kit, [open(), open()], (name) => kit.cluster.failover(name));
  }, 120_000);

  it('the command line comes in by such a name', async () => {
    const name = freshName();
    const hold = await open().getLock(name).acquire();
    expect((await call(['ls', name])).json).toEqual([expect.objectContaining({ name })]);
    expect((await call(['doctor'])).json).toEqual([expect.objectContaining({ fit: true })]);
    expect(await call(['run', name, '--wait', '0', '--', 'true'])).toMatchObject({ code: 75 });
    await hold.release();
  });

  it('the doctor knows both ends of a slot that moves: what one alone knows of is not taken for a move', async () => {
    const [from, to] = [await kit.cluster.nodeOfKey('a'), await kit.cluster.nodeOfKey('b')];
    const slot = await kit.cluster.slotOf('a');
    const [source, target] = [await from.admin(), await to.admin()];
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(await source.call('CLUSTER', 'MYID')));
    const outcome = await call(['doctor', '--prefix', '{a}']);
    await target.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
    const detail = expect.stringMatching(`^${slot}: to come from ${host}:${from.port}, which keeps them`);
    expect(findings(outcome, 'slots')).toContainEqual({
      check: 'slots',
      status: 'warn',
      node: `${host}:${to.port}`,
      detail,
    });
    expect(outcome.code).toBe(0);
  });

  it('to the doctor a server that tells addresses where others tell names has the same nodes', async () => {
    const [asked] = kit.nodes;
    const other = (await kit.cluster.masters()).find((master) => master !== asked) as RedisServer;
    const tell = async (what: string) => (await other.admin()).config('SET', 'cluster-preferred-endpoint-type', what);
    await tell('ip');
    const outcome = await call(['doctor']);
    await tell('hostname');
    expect(findings(outcome, 'slots')).toEqual([{ check: 'slots', status: 'ok', detail: 'each has a server' }]);
  });
});
