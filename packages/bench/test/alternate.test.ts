import { describe, expect, it } from '@jest/globals';
import type { Peer } from '../src/peers/peer.js';
import { alternate } from '../src/run/alternate.js';
import type { Bench } from '../src/run/bench.js';
import type { Case, Workload } from '../src/workloads/workload.js';

const unused = {} as Bench; // the cases below measure nothing real

const peer = (name: string, kind: Peer['kind'] = 'lock'): Peer => ({
  name,
  kind,
  renews: false,
  reenters: false,
  settings: '',
  connect: () => Promise.reject(new Error('not asked for')),
});

const workload: Workload = {
  name: 'it',
  title: 'It',
  about: '',
  columns: ['opsPerSecond'],
  rate: 'opsPerSecond',
  cases: [],
  rounds: 'several',
  base: 'floor: SET NX',
  suits: () => true,
};

/** A case in which each peer is as fast as the table says, round by round, and which notes whose turn it was. */
function caseOf(speeds: Record<string, number[]>, mostInside: Record<string, number> = {}) {
  const turns: string[] = [];
  const left = new Map(Object.entries(speeds).map(([name, all]) => [name, [...all]]));
  const testCase: Case = {
    label: 'it',
    inShortRun: false,
    prepare: (_bench, { name }) => Promise.resolve({ mostInside: mostInside[name] ?? 1 }),
    measure(_bench, { name }) {
      turns.push(name);
      const speed = left.get(name)?.shift();
      if (speed === undefined) return Promise.reject(new Error('broke down'));
      return Promise.resolve({ figures: { opsPerSecond: speed }, latencies: {}, failures: [] });
    },
  };
  return { testCase, turns };
}

const run = (
  testCase: Case,
  names: readonly Peer[],
  rounds: number,
  of = workload,
  leftOut: (peer: Peer) => boolean = () => false,
) => alternate(unused, { workload: of, peers: names, rounds, onStep: () => undefined, leftOut }, testCase);

describe('peers', () => {
  it('are divided by the floor of their own language where they have one', async () => {
    const own: Peer = { ...peer('RLock'), runsIn: 'java', floor: 'floor: in Java' };
    const { testCase } = caseOf({ RLock: [30], a: [50], 'floor: in Java': [60], 'floor: SET NX': [100] });
    const all = [own, peer('a'), peer('floor: in Java', 'floor'), peer('floor: SET NX', 'floor')];
    const ratios = (await run(testCase, all, 1)).map(({ toBase }) => toBase);
    expect(ratios).toEqual([0.5, 0.5, 0.6, 1]);
  });

  it('take turns, and nobody begins every round', async () => {
    const { testCase, turns } = caseOf({ a: [1, 1, 1], b: [1, 1, 1] });
    await run(testCase, [peer('a'), peer('b')], 3);
    expect(turns.join('')).toBe('abbaab');
  });

  it('run once where a round takes seconds', async () => {
    const { testCase, turns } = caseOf({ a: [1, 1, 1] });
    await run(testCase, [peer('a')], 3, { ...workload, rounds: 'one' });
    expect(turns).toEqual(['a']);
  });

  it('run more often where a round is short, but once where everybody does', async () => {
    const often: Workload = { ...workload, rounds: { times: 3 } };
    const { testCase, turns } = caseOf({ a: [1, 1, 1, 1, 1, 1, 1] });
    await run(testCase, [peer('a')], 2, often);
    expect(turns).toHaveLength(6);
    await run(testCase, [peer('a')], 1, often);
    expect(turns).toHaveLength(7);
    const asOthers = caseOf({ a: [1, 1] });
    await run({ ...asOthers.testCase, rounds: 'several' }, [peer('a')], 2, often);
    expect(asOthers.turns).toHaveLength(2);
  });

  it('are compared round by round with what the workload names and with the best other lock', async () => {
    const { testCase } = caseOf({ holdfast: [200, 20], slow: [50, 5], fast: [100, 10], 'floor: SET NX': [400, 40] });
    const peers = [peer('holdfast'), peer('slow'), peer('fast'), peer('floor: SET NX', 'floor')];
    const [own, slow] = await run(testCase, peers, 2);
    expect(own).toMatchObject({ toBase: 0.5, toBestPeer: 2 });
    expect(slow).toMatchObject({ toBase: 0.125, toBestPeer: 0.5 });
  });

  it('that let two in are nobody to be compared with', async () => {
    const { testCase } = caseOf({ holdfast: [10], cheat: [1_000], honest: [5] }, { cheat: 2 });
    const [own, cheat] = await run(testCase, [peer('holdfast'), peer('cheat'), peer('honest')], 1);
    expect(own).toMatchObject({ toBestPeer: 2 });
    expect(cheat).toMatchObject({ mostInside: 2 });
  });

  it('of one family are divided by the lock that they are measured against; who shares breaks nothing', async () => {
    const { testCase } = caseOf({ holdfast: [100], fair: [50], read: [900] }, { read: 16 });
    const peers = [peer('holdfast'), peer('fair', 'sibling'), peer('read', 'sharing sibling')];
    const [, fair, read] = await run(testCase, peers, 1, { ...workload, base: 'holdfast' });
    expect(fair).toMatchObject({ toBase: 0.5 });
    expect(fair).not.toHaveProperty('toBestPeer');
    expect(read).toMatchObject({ toBase: 9, mostInside: 1 });
  });

  it('that break down are told of, stop no other, and keep the rounds before', async () => {
    const { testCase, turns } = caseOf({ frail: [7], sound: [1, 2, 3] });
    const [frail, sound] = await run(testCase, [peer('frail'), peer('sound')], 3);
    expect(frail).toMatchObject({ problem: 'Error: broke down', figures: { opsPerSecond: { median: 7 } } });
    expect(sound?.figures.opsPerSecond).toEqual({ median: 2, low: 1, high: 3 });
    expect(turns.filter((name) => name === 'frail')).toHaveLength(2);
  });

  it('that are left out take no turn, and say so', async () => {
    const { testCase, turns } = caseOf({ hopeless: [1], sound: [1] });
    const leftOut = ({ name }: Peer) => name === 'hopeless';
    const [hopeless] = await run(testCase, [peer('hopeless'), peer('sound')], 1, workload, leftOut);
    expect(turns).toEqual(['sound']);
    expect(hopeless?.problem).toMatch('left out');
  });
});
