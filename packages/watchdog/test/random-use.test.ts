import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '@holdfast/testkit';
import type { Lease } from '@holdfast/watchdog';
import { everyone, harness } from './harness.js';
import type { Subject } from './test-port.js';

/** A lease and what its holder did with it. What Redis promised is in `port.endsAt`. */
interface Known {
  readonly lease: Lease<Subject>;
  ended: boolean;
}

const leaseTimes = [100, 900, 3_000, 30_000];

describe('under random use, faults and stalls', () => {
  it.each(Array.from({ length: 12 }, (_, i) => i + 1))(
    'no lease is believed beyond what Redis promised, lost twice, or heard of after its end (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const { clock, port, watchdog, open, heard, errors } = harness();
      const known = new Map<Subject, Known>();

      // Redis answers, fails, hangs for ever, or executes and answers late.
      const late: (() => void)[] = [];
      port.transport = (batch, answer) => {
        for (const { subject } of batch) expect(known.get(subject)?.ended).toBe(false);
        if (random.next() < 0.8) return answer;
        return new Promise((resolve) => late.push(() => resolve(answer)));
      };
      port.policy = (renewal) => {
        const luck = random.next();
        if (luck < 0.75) return port.granted(renewal);
        return luck < 0.95 ? { kind: 'unknown' } : 'hang';
      };

      const believedOnlyWhilePromised = () => {
        const endsAt = ({ lease }: Known) => port.endsAt.get(lease.subject) ?? 0;
        // One look at all: an expectation for each costs a hundred times as much.
        expect([...known.values()].filter((one) => one.lease.check() && endsAt(one) <= clock.now())).toEqual([]);
      };

      for (let step = 0; step < 200; step++) {
        const subject: Subject = `shard${step % 3}:${step}`;
        const leaseMs = random.pick(leaseTimes);
        const lease = open(subject, {
          leaseMs,
          mode: random.pick(['watched', 'fixed'] as const),
          ...(random.next() < 0.2 ? { renewUntil: clock.now() + random.below(60_000) } : {}),
        });
        known.set(subject, { lease, ended: false });
        const sentAt = clock.now();
        clock.jump(random.below(20));
        const grantedMs = random.next() < 0.3 ? Math.min(leaseMs, 3_000) : leaseMs;
        port.endsAt.set(subject, sentAt + grantedMs);
        if (random.next() < 0.5) lease.begin(sentAt, grantedMs);
        else lease.beginUntil(sentAt + grantedMs);

        const other = random.pick([...known.values()]);
        const luck = random.next();
        if (luck < 0.3) {
          other.lease.end();
          other.ended = true;
        } else if (luck < 0.4) {
          const endsAt = port.endsAt.get(other.lease.subject) ?? 0;
          other.lease.confirm(clock.now(), endsAt - clock.now());
        } else if (luck < 0.5) {
          other.lease.retune({ leaseMs: random.pick(leaseTimes), mode: random.pick(['watched', 'fixed'] as const) });
        } else if (luck < 0.53) watchdog.suspect(everyone);
        else if (luck < 0.56) watchdog.verify(everyone);
        else if (luck < 0.6) clock.jump(random.below(10_000));

        if (random.next() < 0.3) late.splice(0).forEach((answer) => answer());
        believedOnlyWhilePromised();
        await clock.advance(random.below(700));
        believedOnlyWhilePromised();
      }

      const losses = heard.filter(({ what }) => what.startsWith('lost')).map(({ subject }) => subject);
      expect(new Set(losses).size).toBe(losses.length);
      for (const { lease, ended } of known.values()) {
        if (ended) expect(['ended', 'lost', 'pending']).toContain(lease.state);
      }
      const live = [...known.values()].filter(({ lease }) => ['pending', 'held', 'suspect'].includes(lease.state));
      expect(watchdog.size).toBe(live.length);
      watchdog.close();
      expect(clock.pendingTimers).toBe(0);
      expect(errors).toEqual([]);
    },
  );
});
