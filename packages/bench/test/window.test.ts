import { fileURLToPath } from 'node:url';
import { bundleProgram, useRedis } from '@holdfast/testkit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WindowOrder, WindowReport } from '../src/fresh/messages.js';
import { measureWindow } from '../src/fresh/window.js';
import type { Locker, PeerClient } from '../src/peers/peer.js';
import { freshProcess } from '../src/run/fresh-process.js';
import { callsOf, windowRound } from '../src/workloads/entry-case.js';

const LIMIT_MS = 60_000;

const order = (changes: Partial<WindowOrder>): WindowOrder => ({
  use: { peer: 'holdfast', url: '', others: [], pipelining: 'plain', leaseMs: 30_000 },
  what: 'sections',
  name: 'it',
  before: { count: 0, atOnce: 1 },
  measured: { count: 10, atOnce: 1 },
  ...changes,
});

function watchedClient(changes: Partial<Locker> = {}) {
  const names: string[] = [];
  let open = 0;
  const seen = { names, most: 0 };
  const call = async (name: string) => {
    names.push(name);
    seen.most = Math.max(seen.most, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open--;
  };
  const locker: Locker = {
    async run(name, section) {
      await call(name);
      return section();
    },
    async tryOnce(name) {
      await call(name);
      return false;
    },
    hold: () => Promise.reject(new Error('not asked for')),
    ...changes,
  };
  const client: PeerClient = { locker: () => locker };
  return { client, seen };
}

describe('a window', () => {
  it('is exactly so many calls, behind exactly so many that are not measured, so many at once', async () => {
    const { client, seen } = watchedClient();
    const asked = order({ before: { count: 7, atOnce: 2 }, measured: { count: 10, atOnce: 4 } });
    const report = await measureWindow(client, asked);
    expect(report).toMatchObject({ calls: 10, commands: 0, failures: [] });
    expect(seen.names).toHaveLength(17);
    expect(new Set(seen.names.slice(0, 7))).toEqual(new Set(['it:0', 'it:1']));
    expect(new Set(seen.names.slice(7))).toEqual(new Set(['it:0', 'it:1', 'it:2', 'it:3']));
    expect(seen.most).toBe(4);
  });

  it('of attempts is at the locks of its tasks, and tells when somebody gets it', async () => {
    const { client, seen } = watchedClient();
    const report = await measureWindow(client, order({ what: 'attempts', measured: { count: 3, atOnce: 2 } }));
    expect(report.failures).toEqual([]);
    expect(seen.names).toEqual(['it:0', 'it:1', 'it:0']);
    const lucky = watchedClient({ tryOnce: () => Promise.resolve(true) });
    const { failures } = await measureWindow(lucky.client, order({ what: 'attempts' }));
    expect(failures[0]).toMatch('got a lock that somebody else holds');
    expect(failures.length).toBeLessThanOrEqual(5);
  });

  it('gives figures for each call', () => {
    const report: WindowReport = { calls: 200, tookMs: 100, cpuUs: 8_000, commands: 400, failures: ['one'] };
    const { figures, failures } = windowRound(report);
    expect(figures).toEqual({ opsPerSecond: 2_000, clientCpuUs: 40, commandsPerOp: 2 });
    expect(failures).toEqual(['one']);
  });

  it('is of a process as old as its case says', () => {
    expect(callsOf('cold', 64)).toEqual({ before: { count: 0, atOnce: 64 }, measured: { count: 1_000, atOnce: 64 } });
    expect(callsOf('lukewarm', 1).before).toEqual({ count: 1_500, atOnce: 1 });
    expect(callsOf('warm', 1).before.count).toBe(90_000);
  });
});

describe('each entry', () => {
  const kit = useRedis();
  let program: string;
  beforeAll(async () => {
    program = await bundleProgram(fileURLToPath(new URL('../src/fresh/window.program.ts', import.meta.url)));
  });

  const measured = async (peer: string, changes: Partial<WindowOrder>) => {
    const { use, ...rest } = order(changes);
    return freshProcess(program, { ...rest, use: { ...use, peer, url: kit.server.url } }, LIMIT_MS);
  };

  it.each(['holdfast', 'acquire', 'tryLock', 'floor: SET NX'])('%s costs two commands for a section', async (peer) => {
    const asked = { before: { count: 20, atOnce: 4 }, measured: { count: 10, atOnce: 2 } };
    expect(await measured(peer, asked)).toMatchObject({ calls: 10, commands: 20, failures: [] });
    expect(await kit.admin.keys('it:*')).toEqual([]);
  });

  it('costs one command for an attempt that fails', async () => {
    // A lock as Redisson leaves it: somebody's for everybody.
    await kit.admin.hset('it:0', '0f8fad5b-d9cd-469f-a165-70867728950e:1', 1);
    await kit.admin.pexpire('it:0', LIMIT_MS);
    // The first one makes the script known to the server.
    const asked = { what: 'attempts', before: { count: 1, atOnce: 1 } } as const;
    expect(await measured('tryLock', asked)).toMatchObject({ calls: 10, commands: 10, failures: [] });
    expect(await measured('floor: SET NX', asked)).toMatchObject({ calls: 10, commands: 10, failures: [] });
  });
});
