import { describe, expect, it, jest } from '@jest/globals';
import { type LeaseTerms, type RenewalOutcome, Watchdog } from '@holdfast/watchdog';
import { WatchedLease } from '../src/watched-lease.js';
import { everyone, fixed, harness, watched } from './harness.js';
import type { Subject } from './test-port.js';

const down = { kind: 'unknown' } as const;

describe('renewal', () => {
  it('of a watched lease asks for the whole lease every third of it', async () => {
    const { clock, port, hold, start, heard } = harness();
    const lease = hold();
    await clock.advance(60_000);
    expect(port.asked).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => ({ at: start + n * 10_000, subject: 's:a', leaseMs: 30_000 })),
    );
    expect(lease.state).toBe('held');
    expect(heard).toEqual([]);
  });

  it('after a claim comes at a third of the claim and raises it to the whole lease', async () => {
    const { clock, port, open, start } = harness();
    const lease = open();
    port.endsAt.set('s:a', start + 3_000);
    lease.beginUntil(start + 3_000);
    await clock.advance(11_500);
    expect(port.asked).toEqual([
      { at: start + 1_000, subject: 's:a', leaseMs: 30_000 },
      { at: start + 11_000, subject: 's:a', leaseMs: 30_000 },
    ]);
    expect(lease.remainingMs()).toBeGreaterThan(28_000);
  });

  it('of a fixed lease only verifies, every third', async () => {
    const { clock, port, hold, start } = harness();
    hold('s:a', fixed);
    await clock.advance(40_000);
    expect(port.asked).toEqual([1, 2].map((n) => ({ at: start + n * 10_000, subject: 's:a', leaseMs: 0 })));
  });

  it.each<[string, LeaseTerms, readonly number[]]>([
    ['fixed lease', { mode: 'fixed', leaseMs: 3_600_000 }, [0, 0, 0]],
    ['renewed lease', { mode: 'watched', leaseMs: 2 ** 31 }, [2 ** 31, 2 ** 31, 2 ** 31]],
    ['short fixed lease, which is looked at as often as without a limit,', { mode: 'fixed', leaseMs: 30_000 }, [0, 0]],
  ])('of a %s comes after the longest interval at the latest', async (_what, terms, asked) => {
    const { clock, port, hold, start } = harness({ mostIntervalMs: 10_000 });
    hold('s:a', terms);
    await clock.advance(30_000);
    expect(port.asked).toEqual(asked.map((leaseMs, n) => ({ at: start + (n + 1) * 10_000, subject: 's:a', leaseMs })));
  });

  it('of long leases, taken one after the other, comes for a hundred at once', async () => {
    const { clock, port, hold } = harness({ mostIntervalMs: 10_000 });
    for (let n = 0; n < 250; n++) {
      hold(`s:${n}`, { mode: 'fixed', leaseMs: 3_600_000 });
      clock.jump(7);
    }
    await clock.advance(60_000);
    const before = port.calls.length;
    await clock.advance(600_000);
    expect(port.calls.length - before).toBeLessThanOrEqual(60 * 3 * (4 / 3));
  });

  it.each([watched, fixed])(
    'that is given less than it asks for, of a $mode lease, tells that this ends then',
    async (terms) => {
      const { clock, port, open, heard, start } = harness();
      const endsAt = start + 5_000;
      port.policy = () => ({ kind: 'renewed', sentAt: clock.now(), remainingMs: endsAt - clock.now(), endsThen: true });
      open('s:a', terms).begin(start, 5_000);
      await clock.advance(5_000);
      expect(heard.map(({ what }) => what)).toEqual(['lost: expired']);
    },
  );

  it('that is given all that it asks for again tells that nothing ends', async () => {
    const { clock, port, hold, whatWasHeard } = harness();
    const lease = hold();
    port.policy = (renewal) => ({ ...port.granted(renewal), endsThen: true }) as RenewalOutcome;
    await clock.advance(10_000);
    port.policy = (renewal) => port.granted(renewal);
    await clock.advance(10_000);
    clock.jump(31_000);
    expect([lease.state, whatWasHeard()]).toEqual(['lost', ['lost: clock']]);
  });

  it('of a fixed lease after a claim asks for what is left of its term, once', async () => {
    const { clock, port, open, start, heard } = harness();
    port.endsAt.set('s:a', start + 3_000);
    open('s:a', fixed).beginUntil(start + 3_000);
    await clock.advance(40_000);
    const [first, ...rest] = port.asked;
    expect(first).toEqual({ at: start + 1_000, subject: 's:a', leaseMs: 29_000 });
    expect(rest.map(({ leaseMs }) => leaseMs)).toEqual([0, 0]);
    expect(heard.map(({ what }) => what)).toEqual(['lost: expired']);
    expect(heard[0]?.at).toBeGreaterThan(start + 29_000);
    expect(heard[0]?.at).toBeLessThanOrEqual(start + 30_000);
  });

  it('asks for whole milliseconds', async () => {
    const { clock, port, open, start } = harness();
    port.endsAt.set('s:a', start + 3_000);
    open('s:a', { mode: 'fixed', leaseMs: 10_000 }).begin(start - 0.3, 3_000);
    await clock.advance(1_500);
    // Of 8,999.7 that are left: no more than there are.
    expect(port.asked[0]?.leaseMs).toBe(8_999);
  });

  it.each([watched, fixed])('tells a $mode holder within one interval that the lease was taken away', async (terms) => {
    const { clock, port, hold, heard, start } = harness();
    const lease = hold('s:a', terms);
    port.policy = () => ({ kind: 'lost', reason: 'taken' });
    await clock.advance(10_000);
    expect(heard).toEqual([{ subject: 's:a', what: 'lost: taken', at: start + 10_000 }]);
    expect(lease.state).toBe('lost');
    await clock.advance(60_000);
    expect(port.calls).toHaveLength(1);
  });

  it('counts the new deadline from when the answered attempt was sent, not from its arrival', async () => {
    const { clock, port, hold, start } = harness();
    port.policy = () => 'hang';
    const lease = hold();
    await clock.advance(10_000);
    await clock.advance(4_000);
    port.last.settle([{ kind: 'renewed', sentAt: start + 10_500, remainingMs: 30_000 }]);
    await clock.advance(0);
    expect(lease.deadline).toBe(start + 10_500 + 30_000 - 302);
  });

  it('has to be settled by the earliest deadline of its batch', async () => {
    const { clock, port, hold } = harness();
    const first = hold('s:a');
    clock.jump(1_000);
    const second = hold('s:b');
    await clock.advance(9_000);
    expect(port.last.batch).toHaveLength(2);
    expect(port.last.until).toBeLessThan(Math.min(first.deadline, second.deadline));
    expect(port.last.until).toBe(1_000_000 + 30_000 - 302);
  });

  it('gets a little time even right before the deadline', async () => {
    const { clock, port, hold } = harness();
    hold();
    clock.jump(29_690);
    await clock.advance(0);
    expect(port.last.until).toBe(clock.now() + 50);
  });

  it('is put off by a confirmation that prolongs the lease', async () => {
    const { clock, port, hold, start } = harness();
    const lease = hold();
    await clock.advance(9_000);
    lease.confirm(clock.now(), 30_000);
    await clock.advance(9_900);
    expect(port.calls).toEqual([]);
    await clock.advance(200);
    expect(port.last.at).toBe(start + 19_000);
  });

  it('is not put off by confirmations that prolong nothing, however many', async () => {
    const { clock, port, hold, start } = harness();
    const lease = hold();
    for (let i = 0; i < 99; i++) {
      await clock.advance(100);
      lease.confirm(clock.now(), start + 30_000 - clock.now());
    }
    await clock.advance(200);
    expect(port.last.at).toBe(start + 10_000);
  });

  it('does not include a lease that ran out unnoticed', async () => {
    const { clock, port, hold, heard } = harness();
    hold('s:lives');
    clock.jump(4_000);
    hold('s:over', { mode: 'watched', leaseMs: 20_000 });
    clock.jump(21_000);
    await clock.advance(0);
    expect(port.asked.map(({ subject }) => subject)).toEqual(['s:lives']);
    expect(heard.map(({ subject, what }) => `${subject} ${what}`)).toEqual(['s:over lost: clock']);
  });

  it('does not include a lease that the sending of an earlier batch has ended', async () => {
    const { clock, port, hold } = harness();
    const leases = [hold('a:first'), hold('b:second')];
    port.policy = (renewal) => {
      for (const lease of leases) if (lease.subject !== renewal.subject) lease.end();
      return port.granted(renewal);
    };
    await clock.advance(10_000);
    expect(port.asked.map(({ subject }) => subject)).toEqual(['a:first']);
  });

  it('goes on after a confirmation without a time', async () => {
    const { clock, port, hold, whatWasHeard } = harness();
    port.policy = () => down;
    const lease = hold();
    lease.confirm(clock.now(), Number.NaN);
    await clock.advance(12_000);
    port.policy = (renewal) => port.granted(renewal);
    await clock.advance(30_000);
    expect([whatWasHeard(), lease.state]).toEqual([['suspect'], 'held']);
  });

  it('reports how late it was sent, and what was left of the lease', async () => {
    const { clock, hold, renewals } = harness();
    const lease = hold();
    const { deadline } = lease;
    await clock.advance(9_000);
    clock.jump(4_000);
    await clock.advance(0);
    const slackMs = deadline - clock.now();
    expect(renewals.map(({ outcome, ...lateness }) => ({ ...lateness, kind: outcome.kind }))).toEqual([
      { subject: lease.subject, latenessMs: 3_000, slackMs, kind: 'renewed' },
    ]);
  });
});

describe('a renewal that was due when the lease was lost by the clock', () => {
  const told = ({ renewals }: ReturnType<typeof harness>) =>
    renewals.map(({ outcome, ...lateness }) => ({ ...lateness, kind: outcome.kind }));

  it('is reported as late as it was', async () => {
    const site = harness();
    const { clock, hold, whatWasHeard } = site;
    const lease = hold();
    clock.jump(40_000);
    await clock.advance(0);
    expect(whatWasHeard()).toEqual(['lost: clock']);
    const late = { subject: lease.subject, latenessMs: 30_000, slackMs: undefined, kind: 'unknown' };
    expect(told(site)).toEqual([late]);
    const next = hold('s:b');
    clock.jump(40_000);
    expect(next.state).toBe('lost');
    expect(told(site)).toEqual([late, { ...late, subject: 's:b' }]);
  });

  it('is reported once where it had been sent, and not where a fixed lease ends', async () => {
    const site = harness();
    const { clock, hold, port, whatWasHeard } = site;
    hold('s:a', fixed);
    clock.jump(40_000);
    await clock.advance(0);
    expect(whatWasHeard()).toEqual(['lost: expired']);
    expect(told(site)).toEqual([]);
    port.policy = () => 'hang';
    const { subject } = hold('s:b');
    await clock.advance(10_000);
    clock.jump(40_000);
    await clock.advance(0);
    port.last.settle([{ kind: 'unknown' }]);
    await clock.advance(0);
    expect(whatWasHeard()).toEqual(['lost: expired', 'lost: clock']);
    expect(told(site)).toEqual([{ subject, latenessMs: 0, slackMs: undefined, kind: 'unknown' }]);
  });
});

it('each renewal of a lease that ends unconfirmed is reported once: unanswered at the end, or answered before', async () => {
  for (const policy of ['hang', down] as const) {
    const { clock, hold, port, renewals, whatWasHeard } = harness();
    port.policy = () => policy;
    const { subject } = hold();
    await clock.advance(30_000);
    expect(whatWasHeard()).toEqual(['suspect', 'lost: unreachable']);
    const reported = { subject, outcome: down, latenessMs: 0, slackMs: undefined };
    expect(renewals).toEqual(port.calls.map(() => reported));
  }
});

describe('what was left of a lease', () => {
  const slacks = ({ renewals }: ReturnType<typeof harness>) => renewals.map(({ slackMs }) => slackMs);

  it('is not told where one that was granted for less is raised for the first time, and then is', async () => {
    const site = harness();
    const { clock, open, port, start } = site;
    port.endsAt.set('s:a', start + 3_000);
    open().begin(start, 3_000);
    await clock.advance(1_000);
    expect(slacks(site)).toEqual([undefined]);
    await clock.advance(10_000);
    expect(slacks(site)).toEqual([undefined, 19_698]);
  });

  it('is not told where new terms want more than the lease was granted for', async () => {
    const site = harness();
    const { clock, hold } = site;
    const lease = hold('s:a', { leaseMs: 5_000, mode: 'fixed' });
    lease.retune(watched);
    await clock.advance(5_000);
    expect(slacks(site)).toEqual([undefined]);
  });

  it('is told also after proofs that prolonged nothing', async () => {
    const site = harness();
    const { clock, hold, start } = site;
    const lease = hold();
    await clock.advance(5_000);
    lease.witness(start + 5_000, 25_000);
    await clock.advance(5_000);
    expect(slacks(site)).toEqual([19_748]);
  });

  it('is not told of looks at a fixed lease, nor of one that could not be renewed', async () => {
    const site = harness();
    const { clock, hold, port } = site;
    hold('s:a', fixed);
    await clock.advance(10_000);
    port.policy = () => down;
    hold('s:b');
    await clock.advance(10_500);
    const told = slacks(site);
    expect(told.length).toBeGreaterThan(2);
    expect(told).toEqual(told.map(() => undefined));
  });
});

describe('an unknown outcome', () => {
  it('makes the lease suspect and is tried again with a back-off up to a quarter of the interval', async () => {
    const { clock, port, hold, whatWasHeard, start } = harness();
    port.policy = () => down;
    const lease = hold();
    await clock.advance(29_000);
    expect(lease.state).toBe('suspect');
    expect(whatWasHeard()).toEqual(['suspect']);
    const times = port.calls.map(({ at }) => at);
    expect(times[0]).toBe(start + 10_000);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? Number.NaN));
    expect(gaps.length).toBeGreaterThan(9);
    gaps.forEach((gap, index) => {
      const full = Math.min(50 * 2 ** index, 2_500);
      expect(gap).toBeGreaterThanOrEqual(full / 2);
      expect(gap).toBeLessThanOrEqual(full + 1);
    });
  });

  it('is forgotten with the next success: held again, on the old rhythm', async () => {
    const { clock, port, hold, whatWasHeard } = harness();
    port.policy = () => down;
    const lease = hold();
    await clock.advance(12_000);
    port.policy = (renewal) => port.granted(renewal);
    await clock.advance(3_000);
    expect(whatWasHeard()).toEqual(['suspect']);
    expect(lease.state).toBe('held');
    const failed = port.calls.length;
    await clock.advance(30_000);
    expect(port.calls.length - failed).toBe(3);
  });

  it('starts the back-off anew after a success', async () => {
    const { clock, port, hold } = harness();
    port.policy = () => down;
    hold();
    await clock.advance(14_000);
    port.policy = (renewal) => port.granted(renewal);
    await clock.advance(3_000);
    port.policy = () => down;
    const before = port.calls.length;
    await clock.advance(10_000);
    const [first, second] = port.calls.slice(before).map(({ at }) => at);
    expect((second ?? Number.NaN) - (first ?? Number.NaN)).toBeLessThanOrEqual(51);
  });

  it('until the deadline means lost: unreachable', async () => {
    const { clock, port, hold, heard, start } = harness();
    port.policy = () => down;
    hold();
    await clock.advance(60_000);
    expect(heard.map(({ what }) => what)).toEqual(['suspect', 'lost: unreachable']);
    expect(heard[1]?.at).toBeLessThanOrEqual(start + 30_000);
    const calls = port.calls.length;
    await clock.advance(60_000);
    expect(port.calls).toHaveLength(calls);
  });

  it('is what a rejection, a throw, a missing outcome and a senseless one count as', async () => {
    const { clock, port, hold, errors, whatWasHeard } = harness();
    const lease = hold();
    const broken: (() => Promise<readonly RenewalOutcome[]>)[] = [
      () => Promise.reject(new Error('rejected')),
      () => {
        throw new Error('thrown');
      },
      () => Promise.resolve([]),
      // What a port without types could do.
      () => Promise.resolve() as unknown as Promise<readonly RenewalOutcome[]>,
      () => Promise.resolve([{ kind: 'renewed', sentAt: clock.now(), remainingMs: Number.NaN }]),
      () => Promise.resolve([{ kind: 'held', sentAt: clock.now(), remainingMs: -1 }]),
    ];
    let calls = 0;
    port.transport = (_batch, answer) => broken[calls++]?.() ?? answer;
    await clock.advance(15_000);
    expect(calls).toBe(7);
    expect([whatWasHeard(), lease.state]).toEqual([['suspect'], 'held']);
    expect(errors.slice(0, 2)).toEqual([new Error('rejected'), new Error('thrown')]);
  });
});

describe('a renewal in flight', () => {
  it('makes the lease suspect half way from sending to the deadline, and the answer makes it held', async () => {
    const { clock, port, hold, heard, start } = harness();
    port.policy = () => 'hang';
    const lease = hold();
    await clock.advance(25_000);
    const overdueAt = start + (10_000 + 29_698) / 2;
    expect(heard.map(({ what }) => what)).toEqual(['suspect']);
    expect(heard[0]?.at).toBeGreaterThanOrEqual(overdueAt);
    expect(heard[0]?.at).toBeLessThan(overdueAt + 1);
    port.last.settle([{ kind: 'renewed', sentAt: clock.now() - 5, remainingMs: 30_000 }]);
    await clock.advance(0);
    expect([heard.map(({ what }) => what), lease.state]).toEqual([['suspect'], 'held']);
  });

  it('is the only one of its lease, until it is settled', async () => {
    const { clock, port, hold, watchdog } = harness();
    port.policy = () => 'hang';
    hold();
    await clock.advance(12_000);
    watchdog.verify(everyone);
    await clock.advance(12_000);
    watchdog.suspect(everyone);
    watchdog.verify(everyone);
    await clock.advance(5_000);
    expect(port.calls).toHaveLength(1);
  });

  it('is given up when the port breaks its promise, so that a lease that lives on is renewed again', async () => {
    const { clock, port, hold, start } = harness();
    port.policy = () => 'hang';
    const lease = hold();
    await clock.advance(11_000);
    lease.confirm(clock.now(), 30_000);
    port.policy = (renewal) => port.granted(renewal);
    port.endsAt.set('s:a', start + 41_000);
    await clock.advance(30_000);
    expect(port.calls.length).toBeGreaterThan(1);
    expect(port.calls[1]?.at).toBeLessThan(start + 30_000);
    expect(lease.state).toBe('held');
    port.calls[0]?.settle([down]);
    await clock.advance(0);
    expect(lease.state).toBe('held');
  });

  it.each([
    ['renewed', { kind: 'renewed', sentAt: 1_010_000, remainingMs: 30_000 }],
    ['lost', { kind: 'lost', reason: 'deleted' }],
    ['unknown', down],
  ] as const)('that is answered %s after the end changes nothing and is not reported', async (_, outcome) => {
    const { clock, port, hold, heard, renewals, watchdog } = harness();
    port.policy = () => 'hang';
    const lease = hold();
    await clock.advance(10_000);
    lease.end();
    port.last.settle([outcome]);
    await clock.advance(60_000);
    expect(lease.state).toBe('ended');
    expect(heard).toEqual([]);
    expect(renewals).toEqual([]);
    expect(port.calls).toHaveLength(1);
    expect(watchdog.size).toBe(0);
  });

  it('that is answered after the deadline does not bring the lease back', async () => {
    const { clock, port, hold, whatWasHeard } = harness();
    port.policy = () => 'hang';
    const lease = hold();
    await clock.advance(10_000);
    clock.jump(20_000);
    port.last.settle([{ kind: 'renewed', sentAt: clock.now() - 1, remainingMs: 30_000 }]);
    await clock.advance(0);
    expect(lease.state).toBe('lost');
    expect(whatWasHeard()).toEqual(['lost: clock']);
  });
});

describe('verify and suspect', () => {
  it('suspects every held lease at once and believes each again when it is verified', async () => {
    const { clock, port, hold, open, watchdog, whatWasHeard } = harness();
    const leases = [hold('s:a'), hold('s:b', fixed)];
    open('s:pending');
    await clock.advance(100);
    watchdog.suspect(everyone);
    watchdog.suspect(everyone);
    expect(leases.map(({ state }) => state)).toEqual(['suspect', 'suspect']);
    expect(whatWasHeard()).toEqual(['suspect', 'suspect']);
    watchdog.verify(everyone);
    await clock.advance(0);
    expect(leases.map(({ state }) => state)).toEqual(['held', 'held']);
    expect(port.asked.map(({ subject, leaseMs }) => `${subject} ${leaseMs}`).sort()).toEqual(['s:a 30000', 's:b 0']);
  });

  it('suspects none whose connection is up', async () => {
    const { clock, hold, watchdog } = harness();
    const leases = [hold('s:a'), hold('t:b')];
    await clock.advance(100);
    watchdog.suspect((subject) => subject.startsWith('t:'));
    expect(leases.map(({ state }) => state)).toEqual(['held', 'suspect']);
  });

  it('finds out at once what was lost while the connection was down', async () => {
    const { clock, port, hold, watchdog, heard } = harness();
    hold();
    port.endsAt.clear();
    watchdog.suspect(everyone);
    watchdog.verify(everyone);
    await clock.advance(0);
    expect(heard.map(({ what }) => what)).toEqual(['suspect', 'lost: deleted']);
  });

  it('a question about one lease is asked at once, and leaves the others alone', async () => {
    const { clock, port, hold } = harness();
    const lease = hold('s:a');
    hold('s:b');
    await clock.advance(100);
    lease.question();
    await clock.advance(0);
    expect(port.asked.map(({ subject }) => subject)).toEqual(['s:a']);
  });

  it('a question about each of many leases looks at each once', async () => {
    const { clock, port, hold } = harness();
    const leases = Array.from({ length: 100 }, (_, n) => hold(`s:${n}`));
    await clock.advance(100);
    const looks = jest.spyOn(WatchedLease.prototype, 'isDue');
    for (const lease of leases) lease.question();
    const counted = looks.mock.calls.length;
    looks.mockRestore();
    expect([port.asked.length, counted]).toEqual([100, 100]);
  });

  it('a question about one lease is not answered by a renewal that was sent before it', async () => {
    const { clock, port, hold, heard } = harness();
    const lease = hold();
    port.policy = () => 'hang';
    await clock.advance(10_000);
    lease.question();
    lease.confirm(clock.now(), 30_000);
    expect(port.calls).toHaveLength(1);
    port.policy = () => ({ kind: 'lost', reason: 'deleted' });
    port.last.settle([{ kind: 'renewed', sentAt: clock.now(), remainingMs: 30_000 }]);
    await clock.advance(1);
    expect(port.calls).toHaveLength(2);
    expect(heard.map(({ what }) => what)).toEqual(['lost: deleted']);
  });

  it('a question about a lease that is over is none', async () => {
    const { clock, port, hold, open } = harness();
    const ended = hold('s:a');
    ended.end();
    for (const lease of [ended, open('s:pending')]) lease.question();
    await clock.advance(100);
    expect(port.calls).toHaveLength(0);
  });

  it('a deadline that passed while the process stood still is a loss, not a suspicion', () => {
    const { clock, hold, watchdog, whatWasHeard } = harness();
    hold();
    clock.jump(100_000);
    watchdog.suspect(everyone);
    watchdog.verify(everyone);
    expect(whatWasHeard()).toEqual(['lost: clock']);
  });

  it('a confirmation of any kind ends a suspicion', () => {
    const { clock, hold, watchdog, whatWasHeard } = harness();
    const lease = hold();
    watchdog.suspect(everyone);
    lease.confirm(clock.now(), 29_000);
    expect([whatWasHeard(), lease.state]).toEqual([['suspect'], 'held']);
  });
});

describe('listeners', () => {
  it('that throw are reported and harm no other lease', async () => {
    const { clock, port, watchdog, errors } = harness();
    const fail = (what: string) => () => {
      throw new Error(what);
    };
    const lost: string[] = [];
    const bad = watchdog.open('s:bad', watched, {
      onLost: fail('lost'),
      onSuspect: fail('suspect'),
    });
    const good = watchdog.open('s:good', watched, {
      onLost: (reason) => lost.push(reason),
      onSuspect: () => undefined,
    });
    for (const lease of [bad, good]) {
      port.endsAt.set(lease.subject, clock.now() + 30_000);
      lease.begin(clock.now(), 30_000);
    }
    watchdog.suspect(everyone);
    watchdog.verify(everyone);
    await clock.advance(0);
    expect(good.state).toBe('held');
    port.policy = () => ({ kind: 'lost', reason: 'taken' });
    await clock.advance(10_000);
    expect(lost).toEqual(['taken']);
    expect(errors).toEqual([new Error('suspect'), new Error('lost')]);
  });

  it('that end other leases of the same round keep those from being renewed or reported', async () => {
    const { clock, port, watchdog, hold, heard } = harness();
    const other = hold('s:other');
    const first = watchdog.open('s:first', watched, {
      onLost: () => other.end(),
      onSuspect: () => undefined,
    });
    first.begin(clock.now(), 30_000);
    port.policy = () => ({ kind: 'lost', reason: 'taken' });
    clock.jump(40_000);
    first.check();
    await clock.advance(40_000);
    expect(other.state).toBe('ended');
    expect(heard).toEqual([]);
    expect(port.calls).toEqual([]);
  });

  it('and an error handler that throws as well end nothing', async () => {
    const { clock, port } = harness();
    const watchdog = new Watchdog<Subject>({
      clock,
      port,
      random: Math.random,
      mostIntervalMs: Number.POSITIVE_INFINITY,
      holders: () => 1,
      onError: () => {
        throw new Error('handler');
      },
      onRenewal: () => undefined,
    });
    const lease = watchdog.open('s:a', watched, {
      onLost: () => {
        throw new Error('listener');
      },
      onSuspect: () => undefined,
    });
    lease.begin(clock.now(), 30_000);
    await clock.advance(10_000);
    expect(lease.state).toBe('lost');
  });
});

describe('close', () => {
  it('leaves no timer, and nothing fires or begins any more', async () => {
    const { clock, port, hold, open, watchdog, heard, renewals } = harness();
    port.policy = () => 'hang';
    const held = hold('s:a');
    const pending = open('s:b');
    await clock.advance(10_000);
    watchdog.close();
    expect(clock.pendingTimers).toBe(0);
    expect(watchdog.size).toBe(0);
    expect(pending.begin(clock.now(), 30_000)).toBe(false);
    expect(open('s:c').begin(clock.now(), 30_000)).toBe(false);
    port.last.settle([{ kind: 'lost', reason: 'deleted' }]);
    watchdog.suspect(everyone);
    watchdog.verify(everyone);
    held.confirm(clock.now(), 30_000);
    await clock.advance(100_000);
    expect([held.state, pending.state]).toEqual(['ended', 'ended']);
    expect(heard).toEqual([]);
    expect(renewals).toEqual([]);
    expect(port.calls).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('twice is the same as once', () => {
    const { watchdog, hold } = harness();
    hold();
    watchdog.close();
    watchdog.close();
    expect(watchdog.size).toBe(0);
  });
});

describe('a lease that runs out', () => {
  it.each([watched, fixed])(
    'is asked for no more, and lost when what was confirmed of a $mode one is over',
    async (terms) => {
      const { clock, port, hold, heard, start } = harness();
      const lease = hold('s:a', terms);
      clock.jump(1_000);
      lease.runOut();
      await clock.advance(28_000);
      expect(lease.state).toBe('held');
      await clock.advance(2_000);
      expect(heard).toEqual([{ subject: 's:a', what: 'lost: expired', at: start + 30_000 - 302 }]);
      expect(port.calls).toEqual([]);
    },
  );

  it('is lost when a question is answered so, and rests again when it is not', async () => {
    const { clock, port, hold, whatWasHeard } = harness();
    const lease = hold();
    lease.runOut();
    lease.question();
    await clock.advance(15_000);
    expect(port.asked).toMatchObject([{ leaseMs: 0 }]);
    port.policy = () => ({ kind: 'lost', reason: 'deleted' });
    lease.question();
    await clock.advance(0);
    expect(whatWasHeard()).toEqual(['lost: deleted']);
  });

  it('is not prolonged by the answer to a renewal that was on its way', async () => {
    const { clock, port, hold, start, heard } = harness();
    const lease = hold();
    port.policy = () => 'hang';
    await clock.advance(10_000);
    lease.runOut();
    port.last.settle([{ kind: 'renewed', sentAt: clock.now(), remainingMs: 30_000 }]);
    await clock.advance(60_000);
    expect(heard).toMatchObject([{ what: 'lost: expired' }]);
    expect(heard[0]?.at).toBeLessThanOrEqual(start + 30_000);
    expect(port.calls).toHaveLength(1);
  });

  it('is renewed again when it is wanted again', async () => {
    const { clock, port, hold, heard } = harness();
    const lease = hold();
    lease.runOut();
    await clock.advance(20_000);
    lease.retune(watched);
    await clock.advance(60_000);
    expect(port.calls.length).toBeGreaterThan(3);
    expect(heard).toEqual([]);
  });
});

describe('whatever is answered', () => {
  it.each<[string, (sentAt: number) => RenewalOutcome]>([
    ['that hardly anything is left', (sentAt) => ({ kind: 'renewed', sentAt, remainingMs: 1 })],
    ['nothing', () => ({ kind: 'unknown' })],
  ])('a lease is not asked about more than a hundred times a second: %s', async (_, outcome) => {
    const { clock, port, hold } = harness();
    hold();
    port.policy = () => outcome(clock.now());
    await clock.advance(10_000);
    const before = port.asked.length;
    await clock.advance(1_000);
    expect(port.asked.length - before).toBeLessThanOrEqual(101);
  });

  it('one that has less than that left is renewed in time', async () => {
    const { clock, port, open, heard } = harness();
    const lease = open();
    port.endsAt.set('s:a', clock.now() + 9);
    expect(lease.begin(clock.now(), 9)).toBe(true);
    await clock.advance(1_000);
    expect(heard).toEqual([]);
    expect(lease.remainingMs()).toBeGreaterThan(28_000);
  });
});
