import type { Renewal, RenewalOutcome, RenewalPort } from '@holdfast/watchdog';
import type { Topology } from '../connection/topology.js';
import type { CommandSender } from '../connection/command-sender.js';
import { isRedirection, redacted, redisCodeOf } from '../connection/reply-errors.js';
import type { Operations, RenewOutcome } from './operations.js';
import type { ServerClock } from './server-clock.js';

/** What a lease is a lease of, as far as renewing it goes. */
export interface LeaseSubject {
  /** Tenure id. */
  readonly id: string;
  readonly operations: Operations;
  readonly lease: { remainingMs(): number };
  /** What Redis has answered to the last renewals before the end of the lease, where that was no. */
  refusal: Error | undefined;
}

/** Whoever is refused asks again sooner than this and a sixth of the lease, whichever is longer. An answer that is older at the end of the lease was followed by silence. */
const LAST_ANSWER_MS = 1_000;

/** Renews leases in Redis, as many in one command as their servers allow. */
export class Renewals implements RenewalPort<LeaseSubject> {
  readonly #topology: Topology;
  readonly #sender: CommandSender;
  readonly #serverClock: ServerClock;
  readonly #tellRefusal: (subject: LeaseSubject, refusal: Error) => void;

  constructor(
    topology: Topology,
    sender: CommandSender,
    serverClock: ServerClock,
    tellRefusal: (subject: LeaseSubject, refusal: Error) => void,
  ) {
    this.#topology = topology;
    this.#sender = sender;
    this.#serverClock = serverClock;
    this.#tellRefusal = tellRefusal;
  }

  batchKey({ operations: { leaseKind, key } }: LeaseSubject): string {
    return `${leaseKind} ${this.#topology.batchOf(key)}`;
  }

  async renew(batch: readonly Renewal<LeaseSubject>[], until: number): Promise<readonly RenewalOutcome[]> {
    const first = batch[0]?.subject.operations;
    if (first === undefined) return [];
    const items = batch.map(({ subject, leaseMs }) => ({ key: subject.operations.key, tenure: subject.id, leaseMs }));
    const note = (refusal?: Error) => {
      for (const renewal of batch) noteRefusal(renewal, refusal);
    };
    const onSetback = (answer: Error) => note(isRedirection(answer) ? undefined : answer);
    const source = { build: () => first.renew(items), onSetback };
    const answer = await this.#sender.answer(first.key, source, { until });
    if (answer.kind !== 'silent') note();
    if (answer.kind === 'refused') return batch.map((renewal) => this.#refused(renewal, answer.error));
    if (answer.kind !== 'reply') return batch.map(() => ({ kind: 'unknown' }));
    const { reply, sentAt, node } = answer;
    this.#serverClock.note(node, sentAt, reply.nowMs);
    const refusal = reply.outcomes.find(({ kind }) => kind === 'refused');
    if (refusal?.kind === 'refused') this.#learn(first.key, node, refusal.message);
    return reply.outcomes.map((outcome, index) => {
      const renewal = batch[index] as Renewal<LeaseSubject>;
      if (outcome.kind === 'refused') return this.#refused(renewal, redacted(new Error(outcome.message)));
      return outcomeOf(outcome, renewal, sentAt);
    });
  }

  /** A script that goes on with the next lease catches what is refused of one: that the server is no master any more, or is cut off from the others of its Cluster. */
  #learn(lockKey: string, node: string, message: string): void {
    const connection = this.#topology.connectionTo(lockKey);
    if (connection?.node === node) this.#topology.refused({ connection, code: redisCodeOf(message), message });
  }

  /** It is tried again: what is refused now, as by a master that has lost its replicas, may be done before the lease ends. */
  #refused(renewal: Renewal<LeaseSubject>, error: Error): RenewalOutcome {
    noteRefusal(renewal, error);
    this.#tellRefusal(renewal.subject, error);
    return { kind: 'unknown' };
  }
}

function noteRefusal({ subject, leaseMs }: Renewal<LeaseSubject>, refusal: Error | undefined): void {
  subject.refusal = subject.lease.remainingMs() > Math.max(LAST_ANSWER_MS, leaseMs / 6) ? undefined : refusal;
}

function outcomeOf(
  outcome: Exclude<RenewOutcome, { kind: 'refused' }>,
  { subject, leaseMs }: Renewal<LeaseSubject>,
  sentAt: number,
): RenewalOutcome {
  if (outcome.kind === 'lost') return outcome;
  return {
    kind: outcome.kind,
    sentAt,
    // Without a TTL the lock outlives any deadline of ours; the next renewal repairs it.
    remainingMs: outcome.remainingMs ?? subject.lease.remainingMs(),
    // Only permits are given less than they ask for: no lease outlasts the semaphore.
    endsThen: (outcome.remainingMs ?? leaseMs) < leaseMs,
  };
}
