import type { Clock, Renewal, RenewalOutcome, RenewalPort } from '@holdfast/watchdog';

/** What a subject of these tests looks like: `shard:name`. */
export type Subject = `${string}:${string}`;

/** How a renewal is answered. `hang`: never. */
export type Answer = RenewalOutcome | 'hang';

/** One call of the port. */
export interface Call {
  readonly at: number;
  readonly until: number;
  readonly batch: readonly Renewal<Subject>[];
  /** Answers the whole call; only needed when the policy let it hang. */
  settle(outcomes: readonly RenewalOutcome[]): void;
}

/** A renewal port that answers by a policy the test may change at any time, or leaves the answer to the test. */
export class TestPort implements RenewalPort<Subject> {
  readonly calls: Call[] = [];
  /** Clock time at which each lease runs out in Redis. */
  readonly endsAt = new Map<Subject, number>();
  /** How each renewal is answered. By default as Redis would, at once. */
  policy: (renewal: Renewal<Subject>) => Answer = (renewal) => this.granted(renewal);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What Redis says to a renewal that reaches it now: extends what is too short, never creates. */
  granted({ subject, leaseMs }: Renewal<Subject>): RenewalOutcome {
    const sentAt = this.#clock.now();
    const endsAt = this.endsAt.get(subject) ?? Number.NEGATIVE_INFINITY;
    if (endsAt <= sentAt) return { kind: 'lost', reason: 'deleted' };
    this.endsAt.set(subject, Math.max(endsAt, sentAt + leaseMs));
    return { kind: leaseMs === 0 ? 'held' : 'renewed', sentAt, remainingMs: Math.max(endsAt - sentAt, leaseMs) };
  }

  get last(): Call {
    const call = this.calls.at(-1);
    if (call === undefined) throw new Error('the port was not called');
    return call;
  }

  /** Every renewal asked for so far: when and how long. */
  get asked(): { at: number; subject: Subject; leaseMs: number }[] {
    return this.calls.flatMap(({ at, batch }) => batch.map(({ subject, leaseMs }) => ({ at, subject, leaseMs })));
  }

  /** What the port takes for the key of a subject: what stands before the colon. */
  keyOf = (subject: Subject): string => subject.slice(0, subject.indexOf(':'));

  /** What comes between a call and its answer: nothing. */
  transport = (_batch: readonly Renewal<Subject>[], answer: Promise<readonly RenewalOutcome[]>) => answer;

  batchKey(subject: Subject): string {
    return this.keyOf(subject);
  }

  renew(batch: readonly Renewal<Subject>[], until: number): Promise<readonly RenewalOutcome[]> {
    const answer = new Promise<readonly RenewalOutcome[]>((resolve) => {
      this.calls.push({ at: this.#clock.now(), until, batch, settle: resolve });
      const answers = batch.map((renewal) => this.policy(renewal));
      if (answers.every((one) => one !== 'hang')) resolve(answers);
    });
    return this.transport(batch, answer);
  }
}
