import { fileURLToPath } from 'node:url';
import { bundleProgram, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { firstLock, startable } from '../src/fresh/first-lock.js';
import { roster } from '../src/peers/roster.js';
import { freshProcess } from '../src/run/fresh-process.js';
import { startRound } from '../src/workloads/start-case.js';

const LIMIT_MS = 60_000;
const kit = useRedis();

describe('the first lock of a process', () => {
  it('is that of peers in the roster', () => {
    const names = roster.map(({ name }) => name);
    expect(startable.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('is had with ioredis and the library alone, loaded in this order', async () => {
    const loaded: string[] = [];
    const taken: string[] = [];
    const createLockClient = () => ({
      getLock: (name: string) => ({ acquire: () => Promise.resolve(taken.push(name)) }),
    });
    const load = (name: string) => {
      loaded.push(name);
      return { createLockClient };
    };
    await firstLock({ peer: 'holdfast', url: 'redis://localhost', name: 'it' }, load);
    expect(loaded).toEqual(['ioredis', 'holdfast']);
    expect(taken).toEqual(['it']);
    await expect(firstLock({ peer: 'nobody', url: '', name: '' }, load)).rejects.toThrow(RangeError);
  });

  it.each(['redlock 5 beta', 'redis-semaphore', 'floor: SET NX'])('is held by %s when it is told of', async (peer) => {
    const program = await bundleProgram(fileURLToPath(new URL('../src/fresh/start.esm.program.ts', import.meta.url)));
    const report = await freshProcess(program, { peer, url: kit.server.url, name: 'it' }, LIMIT_MS);
    expect(Object.keys(report as object)).toEqual(['ioredisMs', 'ownMs', 'firstLockMs']);
    expect(await kit.admin.keys('*')).toHaveLength(1);
  });

  it('has ioredis in its import, and what the library adds beside it', () => {
    const { figures } = startRound({ ioredisMs: 40, ownMs: 2, firstLockMs: 9 });
    expect(figures).toEqual({ importMs: 42, importOwnMs: 2, firstLockMs: 9 });
  });
});
