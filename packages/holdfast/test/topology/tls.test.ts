import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificate, issueCertificate, type RedisKit, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { holdfast, type Outcome } from '../cli/terminal.js';
import { freshName } from '../support/clients.js';
import { certificate, describeByTls } from '../support/tls.js';
import { type TopologyKit, useCluster, useSentinel } from '../support/topologies.js';
import { itServesEveryDay } from './everyday.js';

// Without one nothing runs.
const tls = certificate as Certificate;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);
/** Everybody has to show one of this authority. */
const args = ['--tls-auth-clients', 'yes'];

function write(): void {
  for (const [name, text] of Object.entries<string>({ ...tls, other: issueCertificate().ca }))
    writeFileSync(file(name), text);
}

describeByTls('where the servers speak TLS alone and want to see a certificate', () => {
  beforeAll(write);

  describe('behind Sentinel', () => {
    const kit = useSentinel({ tls, args });
    const site = () => [
      ...kit.sentinel.sentinels.flatMap(({ host, port }) => ['--sentinel', `${host}:${port}`]),
      ...['--master', kit.sentinel.name],
    ];

    itServesEveryDay(kit);
    itHoldsOnWhen(kit, 'another node is made the master', () => kit.sentinel.failover());
    itIsSeenFromTheCommandLine(kit, site);
  });

  describe('in a Cluster', () => {
    const kit = useCluster({ tls, args });

    itServesEveryDay(kit);
    itHoldsOnWhen(kit, 'a replica takes over', (name) => kit.cluster.failover(name));
    itIsSeenFromTheCommandLine(kit, () => ['--cluster']);
  });
});

function itHoldsOnWhen(kit: TopologyKit, what: string, strike: (name: string) => Promise<unknown>): void {
  it(`a hold goes on when ${what}, and its waiter is served`, async () => {
    const [holder, waiter] = [kit.open({ watchdogTimeoutMs: 30_000 }), kit.open()];
    const name = freshName();
    const hold = await holder.getLock(name).acquire();
    const waiting = waiter.getLock(name).acquire({ waitMs: 60_000 });
    await kit.replicated(name);
    await strike(name);
    await hold.release();
    await (await waiting).release();
  }, 120_000);
}

function itIsSeenFromTheCommandLine(kit: TopologyKit, site: () => string[]): void {
  const call = (...more: string[]): Promise<Outcome> => {
    const [{ url }] = kit.nodes as [(typeof kit.nodes)[number]];
    const [command = '', ...others] = more;
    const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
    return holdfast(server, [command, ...site(), ...others]);
  };
  const shown = () => ['--cert', file('cert'), '--key', file('key')];

  it('its command line comes in with the certificates that it is given', async () => {
    const name = freshName();
    const certificates = ['--cacert', file('ca'), ...shown()];
    const hold = await kit.open().getLock(name).acquire();
    expect(await call('inspect', name, ...certificates)).toMatchObject({ code: 0 });
    expect((await call('ls', name, '--json', ...certificates)).json).toEqual([expect.objectContaining({ name })]);
    expect((await call('doctor', '--json', ...certificates)).json).toEqual([expect.objectContaining({ fit: true })]);
    expect(await call('run', name, '--wait', '0', ...certificates, '--', 'true')).toMatchObject({ code: 75 });
    await hold.release();
  });

  it('its command line says which certificate is the matter', async () => {
    const untrusted = await call('doctor', '--timeout', '2s', '--cacert', file('other'), ...shown());
    expect(untrusted).toMatchObject({ code: 69, output: expect.stringMatching(/certificate/) });
    const unshown = () => call('doctor', '--timeout', '2s', '--cacert', file('ca'));
    expect(await unshown()).toMatchObject({ code: 69 });
    // A server may hang up before it has said so.
    await waitUntil(async () => /certificate/.test((await unshown()).output), {
      what: 'the reason',
      timeoutMs: 30_000,
    });
  }, 60_000);
}
