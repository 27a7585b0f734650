import { type FaultProxy, faultProxy, type RedisServer } from '@holdfast/testkit';
import { RedissonLike } from '../systems/10-redisson.js';
import { Redlock } from '../systems/11-redlock.js';
import { type Finding, millis, type Stage, type Step } from '../stage.js';
import { comesTrue } from '../watching.js';

const LONG_MS = 60_000;

export const step: Step = {
  system: "Redisson's RLock",
  flaw: 'one server keeps the lock: a failover can let two in',
  cure: 'a majority of independent servers (system 11)',
  async play(stage) {
    const pair = await replicated(stage);
    const key = stage.name('failover');
    const lock = () => {
      const made = new RedissonLike(stage.redis(pair.address.url), stage.redis(pair.address.url), key, LONG_MS);
      return stage.whenOver(made, (one) => one.shutdown());
    };
    const first = await lock().tryLock();
    const here = await fenced(stage, pair);
    const second = await lock().tryLock();
    return {
      flaw: {
        seen: first && second,
        text: 'the master died before its replica had heard of A; the replica was promoted and let B in',
        inShort: '2 inside',
      },
      cure: await byMajority(stage),
      holdfast: here,
    };
  },
};

interface Pair {
  /** Where clients go: to the master, whichever that is. */
  readonly address: FaultProxy;
  /** The master dies, and its replica takes its place and its address. */
  readonly failOver: () => Promise<void>;
}

/** A master, and a replica that hears nothing more of it from now on, though neither knows. */
async function replicated(stage: Stage): Promise<Pair> {
  const [master, replica] = [await stage.startServer(), await stage.startServer()];
  const [link, address] = [await proxyTo(stage, master), await proxyTo(stage, master)];
  const admin = await replica.admin();
  await admin.replicaof(link.host, link.port);
  await comesTrue(
    async () => (await admin.info('replication')).includes('master_link_status:up'),
    'the replica to be in step',
  );
  link.hold('both');
  const failOver = async () => {
    await master.kill();
    await admin.replicaof('NO', 'ONE');
    address.leadTo(replica);
    address.reset();
  };
  return { address, failOver };
}

const proxyTo = async (stage: Stage, target: RedisServer): Promise<FaultProxy> =>
  stage.whenOver(await faultProxy({ target }), (proxy) => proxy.close());

/** One lock of holdfast on one server cannot prevent it either. It tells who was forgotten, and refuses what that one writes. */
async function fenced(stage: Stage, { address, failOver }: Pair): Promise<Finding> {
  const name = stage.name('fenced');
  const [mine, theirs] = [1, 2].map(() => stage.locks({ redis: address.url }).getFencedLock(name));
  const hold = await mine?.acquire();
  let toldAt = Number.NaN;
  hold?.signal.addEventListener('abort', () => (toldAt = performance.now()), { once: true });
  await failOver();
  const atMs = performance.now();
  const next = await theirs?.acquire();
  await next?.guard.set(stage.name('data'), 'of B');
  await comesTrue(() => hold?.signal.aborted === true, 'A to be told');
  const write = await hold?.guard.set(stage.name('data'), 'of A').then(
    () => 'written',
    (error: { code: string }) => error.code,
  );
  return {
    seen: next !== undefined && write === 'LOCK_LOST',
    text: `one server: A is told ${millis(toldAt - atMs)} after the failover, and its guarded write is refused (${write})`,
    inShort: `told after ${millis(toldAt - atMs)}`,
  };
}

/** One of five dies: the others still know. */
async function byMajority(stage: Stage): Promise<Finding> {
  const servers = await Promise.all([1, 2, 3, 4, 5].map(() => stage.startServer()));
  const key = stage.name('majority');
  const redlock = () =>
    new Redlock(
      servers.map(({ url }) => stage.redis(url)),
      key,
      LONG_MS,
    );
  const holder = redlock();
  await comesTrue(async () => (await holder.tryLock()) !== undefined, 'a majority to answer in time');
  await servers[0]?.kill();
  const other = await redlock().tryLock();
  return {
    seen: other === undefined,
    text: 'one of five masters died: B is refused by the other four',
    inShort: '1 inside',
  };
}
