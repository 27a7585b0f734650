import { describe, expect, it } from '@jest/globals';
import { ExclusionJudge } from '../../src/judges/exclusion.js';
import { Victims } from '../../src/judges/victims.js';
import type { WorldProcess } from '../../src/world/process.js';

const LOCK = 'pay';
const EXCUSED_MS = 3_500;

/** One whose clock is that of the world. */
const processOf = (name: string) =>
  ({
    name,
    gone: false,
    awake: true,
    busyUntil: 0,
    time: 0,
    clock: { now: () => 0 },
    seenAt: (_: number, look: () => number) => look(),
    worldTimeOf: (time: number) => time,
  }) as unknown as WorldProcess;

const hold = { remainingMs: () => 100_000 } as Parameters<ExclusionJudge['enter']>[3];

function court(oneAtATime: readonly string[]) {
  const broken: string[] = [];
  const victims = new Victims(EXCUSED_MS, new Set(oneAtATime));
  const judge = new ExclusionJudge(victims, ({ rule }) => broken.push(rule));
  const processes = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, processOf(name)]));
  for (const [name, process] of Object.entries(processes)) victims.began(process, name);
  return {
    broken,
    judge,
    owns: (at: number, client: string, tenure = 1) =>
      victims.owned(at, LOCK, new Map([[`${client}:${tenure}.secret`, '1']])),
    comes: (at: number, client: string) =>
      judge.enter(at, processes[client] as WorldProcess, LOCK, hold, undefined, false),
  };
}

describe.each([
  ['a lock', LOCK],
  ['all locks', undefined],
])('where a fault has taken %s away', (_, lock) => {
  it('whoever had it is excused until it has been told', () => {
    const { broken, judge, owns, comes } = court([LOCK]);
    owns(0, 'a');
    comes(1, 'a');
    judge.taken(100, lock);
    comes(200, 'b');
    judge.look(100 + EXCUSED_MS - 1);
    expect(broken).toEqual([]);
    judge.look(100 + EXCUSED_MS);
    expect(broken).toEqual(['exclusion']);
  });

  it('whoever had been granted it is excused, however late it hears so', () => {
    const { broken, judge, owns, comes } = court([LOCK]);
    owns(0, 'a');
    judge.taken(100, lock);
    comes(200, 'b');
    comes(1_000, 'a');
    judge.look(1_000);
    expect(broken).toEqual([]);
  });

  it('others are judged', () => {
    const { broken, judge, owns, comes } = court([LOCK]);
    owns(0, 'a');
    judge.taken(100, lock);
    comes(110, 'b');
    comes(120, 'c');
    judge.look(120);
    expect(broken).toEqual(['exclusion']);
  });

  it('whoever owns it anew is judged, unless it may have asked for it twice', () => {
    const found = [[LOCK], []].map((oneAtATime) => {
      const { broken, judge, owns, comes } = court(oneAtATime);
      owns(0, 'a');
      judge.taken(100, lock);
      owns(200, 'a', 2);
      comes(210, 'a');
      comes(220, 'b');
      judge.look(220);
      return broken;
    });
    expect(found).toEqual([['exclusion'], []]);
  });
});

it('where nobody owned what was taken away, nobody is excused', () => {
  const { broken, judge, comes } = court([LOCK]);
  judge.taken(100, LOCK);
  comes(110, 'a');
  comes(120, 'b');
  judge.look(120);
  expect(broken).toEqual(['exclusion']);
});
