import { countCommands, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { now } from '../src/measure/clock.js';
import type { Locker, PeerClient } from '../src/peers/peer.js';
import { loop } from '../src/worker/loop.js';
import type { LoopOrder } from '../src/worker/messages.js';
import { RoundTrips } from '../src/worker/round-trips.js';
import { inUseShare, roundOf, sectionsOf } from '../src/workloads/loop-case.js';

type Run = Locker['run'];

function clientThat(run: Run): PeerClient {
  const hold = () => Promise.reject(new Error('not asked for'));
  return { locker: () => ({ run, tryOnce: () => Promise.resolve(false), hold }) };
}

const order = (changes: Partial<LoopOrder>): LoopOrder => ({
  name: 'it',
  locks: 'one',
  tasks: 4,
  holdMs: 1,
  depth: 1,
  startAt: now(),
  durationMs: 400,
  report: 'sections',
  ...changes,
});

describe('a closed loop', () => {
  it('finds a lock that does not exclude', async () => {
    const letsAllIn = clientThat(async (_name, section) => section());
    expect((await loop(letsAllIn, order({}))).mostInside).toBe(4);
  });

  it('finds nobody else inside a lock that excludes, and serves in turns', async () => {
    let last: Promise<unknown> = Promise.resolve();
    const excludes = clientThat((_name, section) => (last = last.then(section)));
    const report = await loop(excludes, order({}));
    expect(report.mostInside).toBe(1);
    expect(report.sections).toBe(report.timeline.length / 3);
    expect(report.sections).toBeGreaterThan(4);
    const { figures } = roundOf([report], 1_000, 400);
    expect(figures.fairness).toBeGreaterThan(0);
    expect(figures.redisCpuUs).toBeCloseTo(1_000 / report.sections);
  });

  it('takes the lock of its name, or one for each task, as deep as ordered', async () => {
    const taken = new Set<string>();
    let deepest = 0;
    let depth = 0;
    const watched = clientThat(async (name, section) => {
      taken.add(name);
      deepest = Math.max(deepest, ++depth);
      await section();
      depth--;
    });
    await loop(watched, order({ tasks: 1, depth: 3, holdMs: 0 }));
    expect(deepest).toBe(3);
    expect([...taken]).toEqual(['it']);
    await loop(watched, order({ tasks: 2, locks: 'own' }));
    expect([...taken]).toEqual(['it', 'it:0', 'it:1']);
  });

  it('goes on after calls that reject, and tells some of them', async () => {
    const refuses = clientThat(() => Promise.reject(new Error('no')));
    const report = await loop(refuses, order({}));
    expect(report.sections).toBe(0);
    expect(new Set(report.failures)).toEqual(new Set(['Error: no']));
    expect(report.failures.length).toBeLessThanOrEqual(5);
    expect(roundOf([report], 0, 400).figures).not.toHaveProperty('commandsPerOp');
  });
});

describe('sections that make round trips', () => {
  const kit = useRedis();

  it('make as many as ordered, and none when the round is over', async () => {
    const line = new RoundTrips(kit.server.url);
    kit.cleanup(() => line.close());
    let last: Promise<unknown> = Promise.resolve();
    const excludes = clientThat((_name, section) => (last = last.then(section)));
    const counter = await countCommands(kit.admin);
    const report = await loop(excludes, order({ roundTrips: 2 }), line);
    const [served = 0, ...others] = report.served;
    const inTime = others.reduce((sum, count) => sum + count, served);
    expect((await counter.delta())['ping']).toBe(2 * inTime);
    expect(report.resources.commands).toBe(0);
    expect(inTime).toBeGreaterThan(4);
  });
});

describe('the share of the time that a lock is in use', () => {
  it('is that of its sections, in whichever process', () => {
    const report = { served: [], sections: 0, failures: [], acquire: [], mostInside: 1, resources: { cpuUs: 0 } };
    const reports = [
      { ...report, timeline: [0, 10, 30, 20, 60, 70] },
      { ...report, timeline: [0, 30, 60] },
    ];
    expect(inUseShare(sectionsOf(reports), 100)).toBe(0.6);
    expect(inUseShare([], 100)).toBe(0);
  });
});
