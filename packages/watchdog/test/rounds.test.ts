import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '@holdfast/testkit';
import { harness, watched } from './harness.js';

describe('rounds', () => {
  it('converge: 1,000 leases taken within 2 s cost at most 15 calls a round, and ten once they have met', async () => {
    const { clock, port, hold } = harness();
    const random = seededRandom(1);
    for (let i = 0; i < 1_000; i++) {
      hold(`s:${i}`);
      clock.jump(random.next() * 4);
    }
    const taken = clock.now();
    await clock.advance(10_000);
    expect(port.asked).toHaveLength(1_000);
    expect(port.calls.length).toBeLessThanOrEqual(15);
    for (let round = 2; round <= 5; round++) {
      const before = port.calls.length;
      await clock.advance(10_000);
      expect(port.calls.length - before).toBe(10);
      expect(port.asked).toHaveLength(round * 1_000);
    }
    expect(clock.now() - taken).toBe(50_000);
  });

  it('take leases of other lengths along without renewing any too rarely or all of them too often', async () => {
    const { clock, port, hold, heard } = harness();
    const leases = [3_000, 5_000, 8_000, 13_000, 21_000, 30_000].map((leaseMs) =>
      hold(`s:${leaseMs}`, { mode: 'watched', leaseMs }),
    );
    await clock.advance(300_000);
    expect(heard).toEqual([]);
    for (const { subject } of leases) {
      const intervalMs = Number(subject.slice(2)) / 3;
      const renewals = port.asked.filter((renewal) => renewal.subject === subject).length;
      expect(renewals).toBeGreaterThanOrEqual(Math.floor(300_000 / intervalMs) - 1);
      expect(renewals).toBeLessThanOrEqual(Math.ceil(300_000 / (intervalMs * 0.75)) + 1);
    }
  });

  it('do not put leases with little time left into a batch with ones that could wait much longer', async () => {
    const { clock, port, hold } = harness();
    hold('s:long');
    clock.jump(9_950);
    hold('s:short', { mode: 'watched', leaseMs: 150 });
    await clock.advance(50);
    const [short, long] = port.calls.toSorted((a, b) => a.until - b.until);
    expect(port.calls).toHaveLength(2);
    expect(short?.batch.map(({ subject }) => subject)).toEqual(['s:short']);
    expect(long?.batch.map(({ subject }) => subject)).toEqual(['s:long']);
    expect((long?.until ?? Number.NaN) - clock.now()).toBeGreaterThan(19_000);
  });

  it('respect the size of a batch', async () => {
    const { clock, port, hold } = harness();
    for (let i = 0; i < 230; i++) hold(`s:${i}`);
    await clock.advance(10_000);
    expect(port.calls.map(({ batch }) => batch.length)).toEqual([100, 100, 30]);
  });

  it('never mix keys', async () => {
    const { clock, port, hold } = harness();
    for (let i = 0; i < 40; i++) hold(`shard${i % 4}:${i}`);
    await clock.advance(10_000);
    expect(port.calls).toHaveLength(4);
    for (const { batch } of port.calls) {
      expect(new Set(batch.map(({ subject }) => port.batchKey(subject))).size).toBe(1);
    }
  });

  it('keep the leases of other keys alive while one key hangs for ever, and only that key is lost', async () => {
    const { clock, port, hold, heard } = harness();
    port.policy = (renewal) => (renewal.subject.startsWith('dead:') ? 'hang' : port.granted(renewal));
    const healthy = Array.from({ length: 50 }, (_, i) => hold(`live:${i}`));
    const doomed = Array.from({ length: 50 }, (_, i) => hold(`dead:${i}`));
    await clock.advance(120_000);
    expect(healthy.every(({ state }) => state === 'held')).toBe(true);
    expect(doomed.every(({ state }) => state === 'lost')).toBe(true);
    expect(new Set(heard.map(({ what }) => what))).toEqual(new Set(['suspect', 'lost: unreachable']));
    expect(heard.every(({ subject }) => subject.startsWith('dead:'))).toBe(true);
  });

  it('keep the leases of other keys alive when one key cannot be told', async () => {
    const { clock, port, hold, errors } = harness();
    const { keyOf } = port;
    port.keyOf = (subject) => {
      if (subject === 'bad:a') throw new Error('no key');
      return keyOf(subject);
    };
    const leases = [hold('bad:a'), hold('s:a')];
    await clock.advance(60_000);
    expect(leases.map(({ state }) => state)).toEqual(['held', 'held']);
    expect(errors[0]).toEqual(new Error('no key'));
  });

  it('of others do not hurry the retries of a failing key', async () => {
    const { clock, port, hold } = harness();
    hold('dead:a');
    hold('live:a', { mode: 'watched', leaseMs: 150 });
    port.policy = (renewal) => (renewal.subject === 'dead:a' ? { kind: 'unknown' } : port.granted(renewal));
    await clock.advance(29_000);
    const retries = port.asked.filter(({ subject }) => subject === 'dead:a');
    expect(port.asked.length - retries.length).toBeGreaterThan(500);
    expect(retries.length).toBeLessThan(25);
  });

  it('of 10,000 held leases set few timers and never lose one', async () => {
    const { clock, port, hold, heard, timersSet, watchdog } = harness();
    for (let i = 0; i < 10_000; i++) {
      hold(`s:${i}`);
      clock.jump(0.5);
    }
    await clock.advance(60_000);
    expect(watchdog.size).toBe(10_000);
    expect(heard).toEqual([]);
    // Eight naps for each of a dozen firings; not one for each lease.
    expect(timersSet()).toBeLessThan(200);
    expect(port.calls.length).toBeLessThan(900);
  });

  it('of leases that come and go set almost no timer at all', () => {
    const { clock, hold, timersSet } = harness();
    for (let i = 0; i < 10_000; i++) {
      hold('s:a').end();
      clock.jump(0.05);
    }
    expect(timersSet()).toBeLessThanOrEqual(2);
  });

  it('renew a lease in its last quarter with the others that are due, but no earlier', async () => {
    const { clock, port, hold, start } = harness();
    hold('s:first', watched);
    clock.jump(2_499);
    hold('s:near', watched);
    clock.jump(2);
    hold('s:far', watched);
    await clock.advance(start + 10_000 - clock.now());
    expect(port.last.batch.map(({ subject }) => subject).sort()).toEqual(['s:first', 's:near']);
  });
});
