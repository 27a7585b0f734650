/** What the command line says of a Cluster of which one part does not answer. */
import type { RedisKit } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type Finding, holdfast, type Outcome } from '../cli/terminal.js';
import { useCluster } from '../support/topologies.js';

/** No replica takes over while a test looks. */
const kit = useCluster({ nodeTimeoutMs: 60_000, args: ['--cluster-require-full-coverage', 'no'] });

/** The master that will be ill, and a call by way of another one. */
async function scene() {
  const [ill, { url }] = [await kit.cluster.nodeOfKey('a'), await kit.cluster.nodeOfKey('b')];
  return { ill, node: `${ill.host}:${ill.port}`, call: (...args: string[]) => callBy(url, ...args) };
}

async function callBy(url: string, ...args: string[]) {
  const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
  return holdfast(server, [...args, '--cluster', '--timeout', '2s', '--json']);
}

function examined({ code, json }: Outcome) {
  const [{ findings }] = json as [{ findings: Finding[] }];
  return { code, of: (check: string) => findings.filter((finding) => finding.check === check) };
}

describe('the doctor names a master that does not answer with its slots, looks at the others, and takes a lock of theirs:', () => {
  const looksAtTheRest = (outcome: Outcome, node: string, why: RegExp) => {
    const { code, of } = examined(outcome);
    expect(of('reachable')).toEqual([
      { check: 'reachable', status: 'ok', detail: expect.stringMatching(/, 2 of 3 masters$/) },
      { check: 'reachable', status: 'bad', node, detail: expect.stringMatching(why) },
    ]);
    const slots = { check: 'slots', status: 'bad', node, detail: expect.stringMatching(/^\d+-16383: nobody else/) };
    expect(of('slots')).toEqual([slots]);
    expect(of('role').map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(of('lock')).toMatchObject([{ status: 'ok' }]);
    expect(code).toBe(1);
  };

  it('where it hangs', async () => {
    const { ill, node, call } = await scene();
    await ill.stopProcess();
    const outcome = await call('doctor');
    await ill.continueProcess();
    looksAtTheRest(outcome, node, /timed out/);
  }, 60_000);

  it('where nothing is there', async () => {
    const { ill, node, call } = await scene();
    await ill.kill();
    looksAtTheRest(await call('doctor'), node, /ECONNREFUSED/);
    // A list of what the others have would pass for all.
    const { code, errors } = await call('ls', '--kind', 'semaphore');
    expect({ code, errors }).toEqual({ code: 69, errors: expect.stringContaining(node) });
  }, 60_000);
});

it('the doctor names slots that no node keeps', async () => {
  const keeper = await kit.cluster.nodeOfKey('b');
  await (await keeper.admin()).call('CLUSTER', 'DELSLOTS', '10', '12', '13');
  const { code, of } = examined(await callBy(keeper.url, 'doctor'));
  expect(of('slots')).toContainEqual({ check: 'slots', status: 'bad', detail: '10, 12-13: no node keeps them' });
  expect(code).toBe(1);
}, 60_000);
