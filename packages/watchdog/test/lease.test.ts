import { describe, expect, it } from '@jest/globals';
import { fixed, harness, watched } from './harness.js';

const margin = (ms: number) => ms / 100 + 2;

describe('the deadline', () => {
  it('counts from when the answered attempt was sent, less the margin', () => {
    const { clock, open, start } = harness();
    const lease = open();
    clock.jump(400);
    expect(lease.begin(start, 30_000)).toBe(true);
    expect(lease.deadline).toBe(start + 30_000 - margin(30_000));
    expect(lease.remainingMs()).toBe(30_000 - margin(30_000) - 400);
  });

  it('follows what was reported when that is less than the lease', () => {
    const { open, start } = harness();
    const lease = open();
    lease.begin(start, 3_000);
    expect(lease.deadline).toBe(start + 3_000 - margin(3_000));
  });

  it.each([watched, fixed])('never believes more than the lease time ($mode), whatever is reported', (terms) => {
    const { open, start } = harness();
    const lease = open('s:a', terms);
    lease.begin(start, 3_664_588);
    expect(lease.deadline).toBe(start + 30_000 - margin(30_000));
  });

  it('of a grant by message is what the message says, less the margin', () => {
    const { clock, open } = harness();
    const lease = open();
    expect(lease.beginUntil(clock.now() + 2_900)).toBe(true);
    expect(lease.deadline).toBe(clock.now() + 2_900 - margin(2_900));
  });

  it.each([
    ['nothing for a few holders', 9, 0],
    ['a millisecond for every ten holders, who are told one after the other', 5_000, 500],
    ['no more than a sixth of the lease', 100_000, 5_000],
  ])('is earlier by %s', (_, holders, ms) => {
    const { open, start } = harness({ holders });
    const lease = open();
    lease.begin(start, 30_000);
    expect(lease.deadline).toBe(start + 30_000 - margin(30_000) - ms);
  });

  it('is never shortened by a confirmation', () => {
    const { hold, start } = harness();
    const lease = hold();
    const { deadline } = lease;
    lease.confirm(start, 100);
    lease.confirm(start - 5_000, 30_000);
    lease.confirm(start, Number.NaN);
    expect(lease.deadline).toBe(deadline);
    lease.confirm(start + 1_000, 30_000);
    expect(lease.deadline).toBe(deadline + 1_000);
  });

  it('of a fixed lease is not put off by the late answer to what was asked before it began', async () => {
    const { clock, open, start } = harness();
    const lease = open('s:a', fixed);
    lease.beginUntil(start + fixed.leaseMs);
    const { deadline } = lease;
    await clock.advance(fixed.leaseMs / 2);
    lease.witness(clock.now(), fixed.leaseMs);
    expect(lease.deadline - deadline).toBeLessThanOrEqual(margin(fixed.leaseMs));
    const watchedLease = open('s:b', watched);
    watchedLease.beginUntil(clock.now() + 1_000);
    const before = watchedLease.deadline;
    watchedLease.witness(clock.now(), watched.leaseMs);
    expect(watchedLease.deadline).toBeGreaterThan(before);
  });

  it('does not exist before ownership is confirmed', () => {
    const { open } = harness();
    const lease = open();
    expect(lease.state).toBe('pending');
    expect(lease.deadline).toBe(Number.NEGATIVE_INFINITY);
    expect(lease.remainingMs()).toBe(0);
    expect(lease.check()).toBe(false);
  });
});

describe('beginning', () => {
  it('fails when the deadline has passed already, and can be tried again', () => {
    const { clock, open, start, heard } = harness();
    const lease = open();
    clock.jump(30_000);
    expect(lease.begin(start, 30_000)).toBe(false);
    expect(lease.state).toBe('pending');
    expect(lease.begin(clock.now(), 30_000)).toBe(true);
    expect(lease.state).toBe('held');
    expect(heard).toEqual([]);
  });

  it.each([0, -1, 1, Number.NaN])('fails on %p ms left', (remainingMs) => {
    const { open, start } = harness();
    expect(open().begin(start, remainingMs)).toBe(false);
  });

  it('fails on a grant whose end has passed', () => {
    const { clock, open } = harness();
    expect(open().beginUntil(clock.now() + 1)).toBe(false);
    expect(open().beginUntil(clock.now() - 500)).toBe(false);
  });

  it('a second time only confirms', () => {
    const { hold, start, clock } = harness();
    const lease = hold();
    clock.jump(1_000);
    expect(lease.begin(start + 900, 30_000)).toBe(true);
    expect(lease.deadline).toBe(start + 900 + 30_000 - margin(30_000));
  });

  it('fails after the lease has ended or was lost', () => {
    const { open, clock } = harness();
    const ended = open();
    ended.end();
    expect(ended.begin(clock.now(), 30_000)).toBe(false);
    expect(ended.state).toBe('ended');
    const lost = open();
    lost.lose('force-unlocked');
    expect(lost.beginUntil(clock.now() + 3_000)).toBe(false);
    expect(lost.state).toBe('lost');
  });
});

describe('loss', () => {
  it.each(['check', 'state', 'remainingMs'] as const)(
    'is declared by %s on the first line after a stall, before any timer',
    (read) => {
      const { clock, hold, heard } = harness();
      const lease = hold();
      clock.jump(29_698);
      if (read === 'check') expect(lease.check()).toBe(false);
      else if (read === 'state') expect(lease.state).toBe('lost');
      else expect(lease.remainingMs()).toBe(0);
      expect(heard).toEqual([{ subject: 's:a', what: 'lost: clock', at: clock.now() }]);
    },
  );

  it('is declared at the deadline, also when no code asks', async () => {
    const { clock, port, hold, heard } = harness();
    port.policy = () => 'hang';
    const lease = hold();
    await clock.advance(40_000);
    const loss = heard.at(-1);
    expect(loss?.what).toBe('lost: unreachable');
    expect(loss?.at).toBeGreaterThanOrEqual(lease.deadline);
    expect(loss?.at).toBeLessThan(lease.deadline + 1);
  });

  it('is not declared a moment before the deadline', () => {
    const { clock, hold, heard } = harness();
    const lease = hold();
    clock.jump(29_697.9);
    expect(lease.check()).toBe(true);
    expect(heard).toEqual([]);
  });

  it('happens once, however it is noticed', async () => {
    const { clock, hold, whatWasHeard } = harness();
    const lease = hold();
    clock.jump(50_000);
    lease.check();
    lease.check();
    lease.lose('deleted');
    await clock.advance(50_000);
    expect(whatWasHeard()).toEqual(['lost: clock']);
  });

  it('has the reason of the deadline where that has passed, whatever a caller knows', () => {
    const { clock, hold, whatWasHeard } = harness();
    const lease = hold('s:a', { mode: 'fixed', leaseMs: 900 });
    clock.jump(1_000);
    lease.lose('deleted');
    expect(whatWasHeard()).toEqual(['lost: expired']);
  });

  it('is final: no proof brings a lost lease back', () => {
    const { clock, hold, whatWasHeard } = harness();
    const lease = hold();
    clock.jump(30_000);
    lease.confirm(clock.now(), 30_000);
    lease.retune(watched);
    lease.restart(clock.now(), 30_000);
    expect(lease.state).toBe('lost');
    expect(lease.begin(clock.now(), 30_000)).toBe(false);
    expect(whatWasHeard()).toEqual(['lost: clock']);
  });

  it('keeps the reason a caller gives', () => {
    const { hold, whatWasHeard, watchdog } = harness();
    hold().lose('force-unlocked');
    expect(whatWasHeard()).toEqual(['lost: force-unlocked']);
    expect(watchdog.size).toBe(0);
  });

  it('of a fixed lease is its expiry', async () => {
    const { clock, hold, heard, start } = harness();
    hold('s:a', { mode: 'fixed', leaseMs: 900 });
    await clock.advance(2_000);
    expect(heard.map(({ what }) => what)).toEqual(['lost: expired']);
    expect(heard[0]?.at).toBeLessThanOrEqual(start + 900);
  });

  it('of a fixed lease is its expiry after a stall too', () => {
    const { clock, hold, whatWasHeard } = harness();
    const lease = hold('s:a', fixed);
    clock.jump(60_000);
    lease.check();
    expect(whatWasHeard()).toEqual(['lost: expired']);
  });

  it('of a fixed lease that was never raised from its claim is not its expiry', async () => {
    const { clock, port, open, whatWasHeard } = harness();
    port.policy = () => ({ kind: 'unknown' });
    open('s:a', fixed).beginUntil(clock.now() + 3_000);
    await clock.advance(4_000);
    expect(whatWasHeard()).toEqual(['suspect', 'lost: unreachable']);
  });

  it('blames the clock when the loop stalls although a renewal was in flight', async () => {
    const { clock, port, hold, whatWasHeard } = harness();
    port.policy = () => 'hang';
    const lease = hold();
    await clock.advance(10_100);
    clock.jump(40_000);
    expect(lease.check()).toBe(false);
    expect(whatWasHeard()).toEqual(['lost: clock']);
  });
});

describe('maxHold', () => {
  it('ends a healthy lease at renewUntil, and nothing is asked beyond it', async () => {
    const { clock, port, hold, heard, start } = harness();
    hold('s:a', { mode: 'watched', leaseMs: 30_000, renewUntil: start + 45_000 });
    await clock.advance(60_000);
    expect(heard.map(({ what }) => what)).toEqual(['lost: max-hold']);
    const [loss] = heard;
    expect(loss?.at).toBeLessThanOrEqual(start + 45_000);
    expect(loss?.at).toBeGreaterThan(start + 44_000);
    for (const { at, leaseMs } of port.asked) expect(at + leaseMs).toBeLessThanOrEqual(start + 45_000);
    expect(port.asked.map(({ leaseMs }) => leaseMs)).toEqual([30_000, 25_000, 0, 0]);
  });

  it('ends a lease that was granted for longer', async () => {
    const { clock, hold, heard, start } = harness();
    hold('s:a', { mode: 'watched', leaseMs: 30_000, renewUntil: start + 5_000 });
    await clock.advance(30_000);
    expect(heard).toEqual([{ subject: 's:a', what: 'lost: max-hold', at: start + 5_000 }]);
  });

  it('of the next hold replaces that of the last one', async () => {
    const { clock, hold, heard, start } = harness();
    const lease = hold('s:a', { mode: 'watched', leaseMs: 30_000, renewUntil: start + 12_000 });
    await clock.advance(11_000);
    lease.retune({ mode: 'watched', leaseMs: 30_000, renewUntil: start + 60_000 });
    await clock.advance(30_000);
    expect(heard).toEqual([]);
    await clock.advance(30_000);
    expect(heard.map(({ what }) => what)).toEqual(['lost: max-hold']);
  });
});

describe('retune', () => {
  it('of a pending lease sets the terms it begins with', () => {
    const { clock, open } = harness();
    const lease = open('s:a', watched);
    lease.retune({ mode: 'fixed', leaseMs: 1_000 });
    lease.begin(clock.now(), 30_000);
    expect(lease.deadline).toBe(clock.now() + 1_000 - margin(1_000));
  });

  it('to shorter terms shortens nothing', () => {
    const { hold } = harness();
    const lease = hold('s:a', watched);
    const { deadline } = lease;
    lease.retune({ mode: 'fixed', leaseMs: 1_000 });
    expect(lease.deadline).toBe(deadline);
  });

  it('puts off no renewal that is due before', async () => {
    const { clock, port, hold } = harness();
    const lease = hold('s:a', watched);
    await clock.advance(9_900);
    lease.retune({ ...watched, leaseMs: 40_000 });
    await clock.advance(200);
    expect(port.asked).toEqual([expect.objectContaining({ subject: 's:a', leaseMs: 40_000 })]);
  });

  it('to fixed stops the renewal: what is confirmed runs out', async () => {
    const { clock, port, hold, whatWasHeard } = harness();
    const lease = hold('s:a', watched);
    await clock.advance(15_000);
    lease.retune(fixed);
    port.calls.length = 0;
    await clock.advance(26_000);
    expect(port.asked.filter(({ leaseMs }) => leaseMs > 0)).toEqual([]);
    expect(whatWasHeard()).toEqual(['lost: expired']);
  });

  it('to fixed many times over does not prolong the term', async () => {
    const { clock, hold, heard, start } = harness();
    const lease = hold('s:a', fixed);
    for (let i = 0; i < 40; i++) {
      await clock.advance(1_000);
      lease.retune(fixed);
    }
    expect(heard[0]?.what).toBe('lost: expired');
    expect(heard[0]?.at).toBeLessThanOrEqual(start + 30_000);
  });

  it('to watched starts renewing in time, also late in a fixed term', async () => {
    const { clock, port, hold, whatWasHeard } = harness();
    const lease = hold('s:a', { mode: 'fixed', leaseMs: 30_000 });
    await clock.advance(25_000);
    lease.retune(watched);
    await clock.advance(60_000);
    expect(port.asked.some(({ leaseMs }) => leaseMs === 30_000)).toBe(true);
    expect(whatWasHeard()).toEqual([]);
    expect(lease.state).toBe('held');
  });

  it.each(['before', 'after'] as const)('%s the answer, a longer fixed inner level gets all its time', (order) => {
    const { clock, hold } = harness();
    const lease = hold('s:a', { mode: 'fixed', leaseMs: 5_000 });
    clock.jump(2_000);
    if (order === 'before') lease.retune({ mode: 'fixed', leaseMs: 60_000 });
    lease.confirm(clock.now(), 60_000);
    if (order === 'after') lease.retune({ mode: 'fixed', leaseMs: 60_000 });
    expect(lease.deadline).toBe(clock.now() + 60_000 - margin(60_000));
  });
});

describe('a confirmation of more than the terms say', () => {
  it.each([
    ['less than is left', 100, 2_000],
    ['more than is left', 4_000, 5_500],
  ])('that was asked for, %s, leaves the term of a fixed lease alone: it is not renewed', (_, askedMs, end) => {
    const { clock, port, hold, start } = harness();
    const lease = hold('s:a', { mode: 'fixed', leaseMs: 2_000 });
    clock.jump(1_500);
    lease.confirm(clock.now(), Math.max(500, askedMs), askedMs);
    expect(lease.deadline).toBeGreaterThan(start + end - 50);
    expect(lease.deadline).toBeLessThanOrEqual(start + end);
    lease.question();
    expect(port.asked).toEqual([expect.objectContaining({ leaseMs: 0 })]);
  });

  it('is believed as far as it was asked for, and no further', () => {
    const { clock, hold } = harness();
    const lease = hold('s:a', { mode: 'fixed', leaseMs: 2_000 });
    lease.confirm(clock.now(), 3_600_000, 5_000);
    expect(lease.deadline).toBe(clock.now() + 5_000 - margin(5_000));
  });
});

describe('restart', () => {
  it('sets the deadline anew, also earlier, and a fixed term counts from it', async () => {
    const { clock, port, hold, heard } = harness();
    const lease = hold('s:a', watched);
    const handedOverAt = clock.now() + 1_000;
    clock.jump(1_000);
    lease.retune({ mode: 'fixed', leaseMs: 900 });
    lease.restart(handedOverAt, 900);
    expect(lease.deadline).toBe(handedOverAt + 900 - margin(900));
    await clock.advance(2_000);
    expect(heard.map(({ what }) => what)).toEqual(['lost: expired']);
    expect(port.asked.every(({ leaseMs }) => leaseMs === 0)).toBe(true);
  });

  it('of a lease that runs out is where it ends', async () => {
    const { clock, port, hold, heard, start } = harness();
    const lease = hold('s:a', watched);
    lease.retune({ mode: 'fixed', leaseMs: 900 });
    lease.runOut();
    lease.restart(clock.now(), 900);
    await clock.advance(2_000);
    expect(heard.map(({ what }) => what)).toEqual(['lost: expired']);
    expect(heard[0]?.at).toBeLessThanOrEqual(start + 900);
    expect(port.asked.every(({ leaseMs }) => leaseMs === 0)).toBe(true);
  });
});

describe('ending', () => {
  it('is silent and final', async () => {
    const { clock, port, hold, heard, watchdog } = harness();
    const lease = hold();
    lease.end();
    lease.end();
    lease.lose('deleted');
    await clock.advance(120_000);
    expect(lease.state).toBe('ended');
    expect(lease.check()).toBe(false);
    expect(lease.remainingMs()).toBe(0);
    expect(heard).toEqual([]);
    expect(port.calls).toEqual([]);
    expect(watchdog.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('after a loss leaves it lost', () => {
    const { hold } = harness();
    const lease = hold();
    lease.lose('deleted');
    lease.end();
    expect(lease.state).toBe('lost');
  });

  it('leaves nothing of the lease in memory, although its appointment was far off', async () => {
    const { hold, clock } = harness();
    // In a function of its own: nothing on this stack may refer to the lease.
    const ended = (() => {
      const lease = hold();
      lease.end();
      return new WeakRef(lease);
    })();
    await clock.advance(0);
    gc?.();
    expect(ended.deref()).toBeUndefined();
  });
});
