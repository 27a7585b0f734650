import { type FaultProxy, faultProxy, type RedisServer } from '@holdfast/testkit';
import { createRedLockClient } from 'holdfast';
import { Redlock } from '../systems/11-redlock.js';
import { type Finding, seconds, type Stage, type Step } from '../stage.js';
import { comesTrue } from '../watching.js';

const LONG_MS = 60_000;
const LEASE_MS = 2_000;

export const step: Step = {
  system: 'Redlock on five masters',
  flaw: 'a node that restarts empty votes twice: two majorities',
  cure: 'a node that is younger than the longest lease does not vote (holdfast)',
  async play(stage) {
    const nodes = await Promise.all([1, 2, 3, 4, 5].map(() => stage.startServer()));
    const forgetful = nodes[2];
    if (forgetful === undefined) throw new Error('there are five');
    // From where A stands, nodes 4 and 5 cannot be reached.
    const toA = await Promise.all(nodes.map((node) => wayTo(stage, node)));
    for (const way of toA.slice(3)) way.refuse();
    const views = { toA, seenByB: nodes.map(({ url }) => url), forgetful };
    const flaw = await forgotten(stage, views);
    return { flaw, ...(await here(stage, views)) };
  },
};

interface Views {
  readonly toA: readonly FaultProxy[];
  readonly seenByB: readonly string[];
  readonly forgetful: RedisServer;
}

const wayTo = async (stage: Stage, target: RedisServer): Promise<FaultProxy> =>
  stage.whenOver(await faultProxy({ target }), (proxy) => proxy.close());

async function forgotten(stage: Stage, { toA, seenByB, forgetful }: Views): Promise<Finding> {
  const key = stage.name('redlock');
  const [a, b] = [toA.map(({ url }) => url), seenByB].map(
    (urls) =>
      new Redlock(
        urls.map((url) => stage.redis(url)),
        key,
        LONG_MS,
      ),
  );
  await comesTrue(async () => (await a?.tryLock()) !== undefined, 'a majority for A');
  await forgetful.restart();
  await comesTrue(async () => (await b?.tryLock()) !== undefined, 'a majority for B');
  return {
    seen: true,
    text: 'A had nodes 1, 2, 3; node 3 was restarted; B got 3, 4, 5: two majorities',
    inShort: '2 majorities',
  };
}

async function here(stage: Stage, { toA, seenByB, forgetful }: Views): Promise<{ cure: Finding; holdfast: Finding }> {
  const [mine, theirs] = [toA.map(({ url }) => url), seenByB].map((nodes) =>
    stage.whenOver(createRedLockClient({ nodes, watchdogTimeoutMs: LEASE_MS }), (client) => client.close()),
  );
  if (mine === undefined || theirs === undefined) throw new Error('there are two');
  stage.whenOver(toA, (ways) => Promise.all(ways.map((way) => way.heal())));
  const startedAt = performance.now();
  const name = stage.name('by-majority');
  await theirs.connect();
  await comesTrue(() => theirs.nodes.every(({ state }) => state === 'may vote'), 'the nodes to be old enough');
  const oldAfterMs = performance.now() - startedAt;
  const hold = await mine.getRedLock(name).acquire();
  // From now on A hears nothing more, so it cannot learn either that node 3 has forgotten it.
  for (const way of toA) way.hold('both');
  await forgetful.restart();
  await comesTrue(() => theirs.nodes[2]?.state !== 'unreachable', 'node 3 to be back');
  const young = theirs.nodes.map(({ state }) => state).join(', ');
  const got = await theirs
    .getRedLock(name)
    .tryLock()
    .catch(() => false);
  const alone = !got || hold.state === 'lost';
  const next = await theirs.getRedLock(name).acquire();
  return {
    cure: {
      seen: alone && hold.state === 'lost' && next.state === 'held',
      text: `B is refused (nodes: ${young}), and let in when A's lease is over`,
      inShort: '1 majority',
    },
    holdfast: {
      seen: true,
      text: `the price: after a cold start of all nodes nobody gets a lock for ${seconds(oldAfterMs)} (lease ${seconds(LEASE_MS)})`,
      inShort: `no lock for ${seconds(oldAfterMs)} after a cold start`,
    },
  };
}
