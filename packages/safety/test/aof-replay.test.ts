import { describe, expect, it } from '@jest/globals';
import { compareWithAof, flawsOf } from '../src/aof/compare.js';
import { replay } from '../src/aof/replay.js';
import { type FaultClass, faultClasses } from '../src/check/fault-classes.js';
import type { HistoryEvent } from '../src/history/event.js';
import { brokenAofs, goodAof, transactions } from './support/aof-stories.js';
import { fault, type LevelPlan, story } from './support/history-builder.js';

describe('the replay of an append-only file', () => {
  it('finds nothing in a grant, two levels, a line of two and a lease that is claimed', () => {
    const { flaws, tenures } = replay(transactions(...goodAof));
    expect(flaws).toEqual([]);
    expect([...tenures.values()]).toEqual([
      { tenure: 'a:1', lock: 'x', count: 2, latestEndMs: 31_000, end: 'deleted', regrantedAt: [] },
      { tenure: 'b:1', lock: 'x', count: 1, latestEndMs: 34_000, end: 'deleted', regrantedAt: [] },
      { tenure: 'c:1', lock: 'x', count: 1, latestEndMs: 8_000, end: 'deleted', regrantedAt: [] },
    ]);
  });

  it.each(brokenAofs)('finds $rule: $name', ({ lines, rule }) => {
    expect(replay(transactions(...lines)).flaws.map((flaw) => flaw.rule)).toContain(rule);
  });

  it('takes no end for a release before the first stamp, when the file does not say yet what time it is', () => {
    const again = ['0|HSET x a:1 1 seq 1; PEXPIREAT x 31150', '0|DEL x', '0|HSET x a:1 1 seq 1; PEXPIREAT x 31400'];
    const { flaws, tenures } = replay(transactions(...again));
    expect(flaws).toEqual([]);
    expect(tenures.get('x a:1')?.regrantedAt).toEqual([0]);
  });

  it('serves stale heads and those who left in no order', () => {
    const skipped = transactions(
      '1|HSET x a:1 1 seq 1; PEXPIREAT x 31000',
      '1|ZADD holdfast_queue:{x} 1500 b:1 1600 c:1 1700 d:1; PEXPIREAT holdfast_queue:{x} 9000',
      '2|ZREM holdfast_queue:{x} b:1',
      '3|DEL x; ZPOPMIN holdfast_queue:{x}; ZPOPMIN holdfast_queue:{x}; HSET x d:1 1 seq 1; PEXPIREAT x 6000',
    );
    expect(replay(skipped).flaws).toEqual([]);
  });

  const rests: [order: string, rest: string][] = [
    ['as version 0.2 writes it', 'DEL x; HSET x rest:a:1 1 seq 1; PEXPIREAT x 3000; HSET x rest 3000'],
    ['noted before its owner goes', 'PEXPIREAT x 3000; HSET x rest 3000; HDEL x a:1; HSET x rest:a:1 1 seq 1'],
  ];

  it.each(rests)('gives nobody a turn when a lock rests, however many wait: %s', (_, rest) => {
    const rested = transactions(
      ...[
        '1|HSET x a:1 1 seq 1; PEXPIREAT x 31000',
        '1|ZADD holdfast_queue:{x} 1500 b:1; PEXPIREAT holdfast_queue:{x} 9000',
      ],
      ...[`2|${rest}`, '3|DEL x'],
      '4|ZPOPMIN holdfast_queue:{x}; HSET x b:1 1 seq 1; PEXPIREAT x 34000',
    );
    expect(replay(rested).flaws).toEqual([]);
  });

  it('sees a rest beside its owner, and one that nobody ends', () => {
    const beside = transactions('1|HSET x a:1 1 seq 1; PEXPIREAT x 31000', '2|HSET x rest:a:1 1 seq 1 rest 3000');
    expect(replay(beside).flaws).toMatchObject([{ rule: 'aof-two-owners' }]);
    const endless = transactions(
      '1|HSET x a:1 1 seq 1; PEXPIREAT x 31000',
      '2|HDEL x a:1; HSET x rest:a:1 1 seq 1; HSET x rest 3000',
    );
    expect(replay(endless).flaws).toMatchObject([{ rule: 'aof-no-ttl' }]);
  });

  it('lets a tenure own that was passed over before, because no message reached it', () => {
    const passedOver = transactions(
      ...[
        '1|HSET x a:1 1 seq 1; PEXPIREAT x 31000',
        '1|ZADD holdfast_queue:{x} 1500 b:1; PEXPIREAT holdfast_queue:{x} 9000',
      ],
      '2|DEL x; ZPOPMIN holdfast_queue:{x}; HSET x b:1 1 seq 1; PEXPIREAT x 3000; DEL x',
      '3|HSET x b:1 1 seq 1; PEXPIREAT x 33000',
    );
    expect(replay(passedOver).flaws).toEqual([]);
  });
});

describe('a history beside the append-only file', () => {
  /** a:1 from 1 s to 3 s of the server's time, which is the history's time + 1000 s. */
  const served = ['1001|HSET x a:1 1 seq 1; PEXPIREAT x 1031000', '1001|HSET x a:1 2 seq 2', '1003|DEL x'];
  const outer: LevelPlan = {
    worker: 'a',
    hold: 1,
    scope: 1,
    tenure: 'a:1',
    ask: 900,
    got: 1_000,
    until: 30_000,
    release: 3_000,
  };
  const inner: LevelPlan = { ...outer, hold: 2, depth: 2, ask: 1_200, got: 1_300, release: 2_000 };
  const wall: HistoryEvent = {
    at: 0,
    worker: 'n',
    type: 'event',
    f: 'server',
    code: 'clock',
    target: 's',
    wall: 1_000_000_000,
  };
  const compare = (levels: readonly LevelPlan[], lines: readonly string[], others: readonly HistoryEvent[] = []) =>
    compareWithAof(
      story(levels, [wall, ...others]),
      [replay(transactions(...lines))],
      faultClasses['crash-and-network'],
    );
  const rulesOf = (...args: Parameters<typeof compare>) => compare(...args).violations.map(({ rule }) => rule);

  it('agrees with it', () => {
    expect(compare([outer, inner], served)).toMatchObject({ violations: [], compared: 2, tenures: 1 });
  });

  it('has nothing that the server never granted', () => {
    expect(rulesOf([{ ...outer, tenure: 'a:2' }], served)).toEqual(['aof-no-grant']);
  });

  it('is not nested deeper than the server counted', () => {
    expect(rulesOf([outer, { ...inner, depth: 3 }], served)).toEqual(['aof-no-grant']);
  });

  it('believes no longer than the lease lasts in the server', () => {
    expect(rulesOf([{ ...outer, until: 31_010 }], served)).toEqual(['aof-deadline']);
  });

  it('explains why a lock was dropped before its lease ended', () => {
    const open = { worker: 'a', hold: 1, tenure: 'a:1', ask: 900, got: 1_000, until: 30_000 };
    expect(rulesOf([open], served)).toEqual(['aof-unexplained-end']);
    expect(rulesOf([open], served, [fault(2_000, 'sigkill', { target: 'a' })])).toEqual([]);
    expect(rulesOf([{ ...open, lost: 3_100 }], served)).toEqual([]);
    expect(rulesOf([open], ['1001|HSET x a:1 1 seq 1; PEXPIREAT x 1031000', '1031|DEL x'])).toEqual([]);
  });

  it('sees a ghost where a tenure that had been held owns again after its lease, and none where its grant came too late', () => {
    const again = [
      '1001|HSET x a:1 1 seq 1; PEXPIREAT x 1001200',
      '1002|DEL x',
      '1004|HSET x a:1 1 seq 1; PEXPIREAT x 1034000',
      '1006|DEL x',
    ];
    const lost = {
      ...outer,
      until: 1_150,
      lost: 1_160,
      release: 1_170,
      saysAtRelease: 'lost',
      released: { at: 1_171, type: 'fail' },
    } as const;
    expect(rulesOf([lost], again)).toEqual(['aof-regrant']);
    expect(rulesOf([{ ...outer, got: 4_100, release: 5_000 }], again)).toEqual([]);
  });

  it('reports the flaws of the server side, with what was broken around them', () => {
    const { violations } = compare(
      [outer],
      [...served, '1004|HSET x a:1 1 seq 1; PEXPIREAT x 1034000'],
      [fault(3_900, 'partition')],
    );
    expect(violations).toMatchObject([{ rule: 'aof-regrant', at: 4_000_000, faults: ['partition, 100.0 ms before'] }]);
  });
});

describe('what a server did to the locks of an epoch', () => {
  const overtaken = transactions(
    '1|ZADD holdfast_queue:{x} 1500 b:1; PEXPIREAT holdfast_queue:{x} 9000',
    '2|HSET x c:1 1 seq 1; PEXPIREAT x 32000',
  );
  const history = (lock: string) =>
    story([{ worker: 'c', hold: 1, ask: 900, got: 1_000, release: 1_100 }]).map((event) =>
      'lock' in event ? { ...event, lock } : event,
    );
  const rulesIn = (lock: string, faultClass: FaultClass, ...more: HistoryEvent[]) =>
    flawsOf([...history(lock), ...more], [replay(overtaken)], faultClass).map(({ rule }) => rule);

  it('is judged where nothing may take a lock away: nobody has it before one who waits longer', () => {
    expect(rulesIn('x', faultClasses['crash-and-network'])).toEqual(['aof-order']);
    expect(rulesIn('x', faultClasses['loss-of-data'])).toEqual([]);
  });

  it('is not confused with what it did to those of other epochs', () => {
    expect(rulesIn('y', faultClasses['crash-and-network'])).toEqual([]);
  });

  it('is not judged of a lock whose slot has moved, also when it moved for another lock: no file tells all of it', () => {
    const moved = (lock: string) => ({ ...fault(900, 'slot-move'), lock });
    expect(rulesIn('x', faultClasses['crash-and-network'], moved('y'))).toEqual(['aof-order']);
    expect(rulesIn('x', faultClasses['crash-and-network'], moved('x'))).toEqual([]);
    expect(rulesIn('x', faultClasses['crash-and-network'], moved('{x}'))).toEqual([]);
  });

  it('is told once, whichever servers have written it down', () => {
    const all = [overtaken, overtaken].map((told) => replay(told));
    const flaws = flawsOf(history('x'), all, faultClasses['crash-and-network']);
    expect(flaws.map(({ rule }) => rule)).toEqual(['aof-order']);
  });
});
