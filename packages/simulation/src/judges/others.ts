/** The judges of what a world has besides locks. */

import type { MemoryServer } from '@holdfast/memory';
import type { ProcessPlan, Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import { CircleJudge } from './circles.js';
import type { OpenHold } from './exclusion.js';
import { GuardJudge } from './guards.js';
import { LaterJudge } from './later.js';
import { LatchJudge } from './latches.js';
import { LeaderJudge } from './leaders.js';
import { LeavingJudge } from './leavings.js';
import { OwnerJudge } from './owners.js';
import { PermitJudge } from './permits.js';
import { RestJudge } from './rests.js';
import { ShareJudge } from './shares.js';
import { StrangerJudge } from './strangers.js';
import type { Violation } from './violation.js';

/** See the module comment. */
export class OtherJudges {
  readonly permits: readonly PermitJudge[];
  readonly latches: readonly LatchJudge[];
  readonly leaders: readonly LeaderJudge[];
  readonly shares: readonly ShareJudge[];
  readonly rests: readonly RestJudge[];
  readonly leavings: readonly LeavingJudge[];
  readonly owners: readonly OwnerJudge[];
  readonly circles: readonly CircleJudge[];
  readonly guards: readonly GuardJudge[];
  readonly strangers: readonly StrangerJudge[];
  readonly later: readonly LaterJudge[];
  readonly #keepsData: boolean;

  /** @param terms - `holdsOf`: the holds of a lock that are open. */
  constructor(
    scenario: Scenario,
    terms: {
      readonly excusedMs: number;
      readonly holdsOf: (lock: string) => readonly OpenHold[];
      readonly report: (violation: Violation) => void;
    },
  ) {
    const { excusedMs, report } = terms;
    const { others } = scenario;
    this.#keepsData = scenario.class !== 'taken';
    this.permits = others.flatMap((plan) =>
      plan.kind === 'semaphore' || plan.kind === 'ids' ? [new PermitJudge(plan, scenario, excusedMs, report)] : [],
    );
    this.latches = others.flatMap(({ kind, name }) =>
      kind === 'latch' ? [new LatchJudge(name, scenario, this.#keepsData ? report : () => undefined)] : [],
    );
    this.leaders = others.flatMap(({ kind, name }) =>
      kind === 'election' ? [new LeaderJudge(name, excusedMs, report)] : [],
    );
    this.rests = others.flatMap(({ kind, name }) =>
      kind === 'rest' ? [new RestJudge(name, this.#keepsData ? report : () => undefined)] : [],
    );
    this.leavings = others.flatMap((plan) =>
      plan.kind === 'left' ? [new LeavingJudge(plan, scenario, this.#keepsData ? report : () => undefined)] : [],
    );
    this.owners = others.flatMap(({ kind, name }) =>
      kind === 'owners' ? [new OwnerJudge(name, scenario, report)] : [],
    );
    this.circles = others.flatMap(({ kind, name }) =>
      kind === 'circle' ? [new CircleJudge(name, scenario, report)] : [],
    );
    this.guards = others.flatMap(({ kind, name }) =>
      kind === 'guard' ? [new GuardJudge(name, scenario, report)] : [],
    );
    this.strangers = others.flatMap(({ kind, name }) =>
      kind === 'stranger' ? [new StrangerJudge(name, scenario, terms)] : [],
    );
    this.later = others.flatMap((plan) => (plan.kind === 'later' ? [new LaterJudge(plan, scenario, report)] : []));
    this.shares = others.flatMap((plan) => (plan.kind === 'share' ? [new ShareJudge(plan, scenario, report)] : []));
  }

  /** A life of a process has begun. */
  began(clientId: string, { client }: ProcessPlan): void {
    for (const judge of this.later) judge.began(clientId, client);
  }

  /** After each event. */
  look(now: number): void {
    for (const judge of [...this.permits, ...this.owners, ...this.circles, ...this.strangers]) judge.look(now);
  }

  /** A server has executed `request`. */
  executed(now: number, server: MemoryServer, request: readonly string[]): void {
    for (const judge of this.permits) judge.executed(now, server, request);
    for (const judge of this.latches) judge.executed(now, server, request);
    for (const judge of this.leavings) judge.executed(now, server);
    for (const judge of [...this.guards, ...this.later, ...this.shares]) judge.executed(now, server, request);
  }

  /** All that the server knew was lost. */
  taken(now: number): void {
    for (const judge of [...this.permits, ...this.leaders, ...this.strangers]) judge.taken(now);
    for (const judge of [...this.guards, ...this.later]) judge.taken();
  }

  /** A process has died. */
  buried(process: WorldProcess): void {
    const all = [this.permits, this.leaders, this.rests, this.owners, this.circles, this.strangers];
    for (const judge of all.flat()) judge.buried(process);
  }

  /** World time at which a lock that has no holder any more is free: later where it rests, or is left open. */
  freeAt(now: number, lock: string, process: WorldProcess): number {
    const judge = [...this.rests, ...this.leavings, ...this.owners].find(({ name }) => name === lock);
    return judge?.askedAt(now, process) ?? now;
  }

  /** Everybody has gone, and every lease has had time to end. */
  ended(now: number, server: MemoryServer): void {
    for (const judge of this.permits) judge.ended(now, server);
  }
}
