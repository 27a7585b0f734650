import type * as holdfast from 'holdfast';
import type * as ioredis from 'ioredis';
import type * as semaphore from 'redis-semaphore';
import type * as redlock from 'redlock5';
import type { StartOrder, StartReport } from './messages.js';

const LEASE_MS = 30_000;

/** What programs load, by the names that they load it by. */
interface Libraries {
  ioredis: typeof ioredis;
  holdfast: typeof holdfast;
  redlock5: typeof redlock;
  'redis-semaphore': typeof semaphore;
}

type Load = <Name extends keyof Libraries>(name: Name) => Promise<Libraries[Name]>;

type TakeFirst = (means: { Redis: typeof ioredis.Redis; url: string; name: string }) => Promise<unknown>;

/** What a program has to load beside ioredis, and how it then comes to its first lock. Each as its own documentation begins. */
const starters: Readonly<Record<string, (load: Load) => Promise<TakeFirst>>> = {
  async holdfast(load) {
    const { createLockClient } = await load('holdfast');
    return ({ url, name }) => createLockClient({ redis: url }).getLock(name).acquire();
  },
  async 'redlock 5 beta'(load) {
    const { default: Redlock } = await load('redlock5');
    return ({ Redis, url, name }) => new Redlock([new Redis(url)]).acquire([name], LEASE_MS);
  },
  async 'redis-semaphore'(load) {
    const { Mutex } = await load('redis-semaphore');
    return ({ Redis, url, name }) => new Mutex(new Redis(url), name).acquire();
  },
  'floor: SET NX': () =>
    Promise.resolve(({ Redis, url, name }) => new Redis(url).set(name, 'mine', 'PX', LEASE_MS, 'NX')),
};

/** Who can be asked for. */
export const startable: readonly string[] = Object.keys(starters);

/**
 * @param loadModule as the program is written: `import` or `require`
 * @throws RangeError when there is no such peer here.
 */
export async function firstLock(
  { peer, url, name }: StartOrder,
  loadModule: (name: string) => unknown,
): Promise<StartReport> {
  const starter = starters[peer];
  if (starter === undefined) throw new RangeError(`${peer} is not here`);
  const load: Load = async (library) => (await loadModule(library)) as Libraries[typeof library];
  const startedAt = performance.now();
  const { Redis } = await load('ioredis');
  const ioredisAt = performance.now();
  const take = await starter(load);
  const importedAt = performance.now();
  await take({ Redis, url, name });
  const lockedAt = performance.now();
  return { ioredisMs: ioredisAt - startedAt, ownMs: importedAt - ioredisAt, firstLockMs: lockedAt - importedAt };
}
