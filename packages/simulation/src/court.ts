/** All judges of one run, and what is counted: what tasks tell goes to those whom it concerns, and the first violation is kept. */

import type { MemoryServer } from '@holdfast/memory';
import { type Hold, type LockClient, LockLimitError } from 'holdfast';
import { ExclusionJudge, type OpenHold, type Side } from './judges/exclusion.js';
import { DeadlineJudge } from './judges/deadlines.js';
import { EarlyLossJudge } from './judges/early-losses.js';
import { FixedLeaseJudge } from './judges/fixed-leases.js';
import { GhostJudge } from './judges/ghosts.js';
import { changesIn } from './judges/requests.js';
import { InheritanceJudge } from './judges/inheritances.js';
import { LimitJudge } from './judges/limits.js';
import { LineJudge } from './judges/lines.js';
import { OtherJudges } from './judges/others.js';
import { PeaceJudges } from './judges/peace-judges.js';
import { RecordJudge } from './judges/records.js';
import { RegainedJudge } from './judges/regained.js';
import { scriptOf } from './judges/script-names.js';
import { TokenJudge } from './judges/tokens.js';
import { Victims } from './judges/victims.js';
import { watchedLocks } from './judges/watched.js';
import type { Rule, Violation } from './judges/violation.js';
import type { Wait } from './judges/wait.js';
import type { FaultKind } from './plan/faults.js';
import type { ProcessPlan, Scenario } from './plan/scenario.js';
import type { Desk, Witness } from './work/desk.js';
import { LONGEST_FIXED_LEASE_MS } from './work/working.js';
import { brokenBy } from './work/explained.js';
import type { WorldProcess } from './world/process.js';
import type { Timeline } from './world/timeline.js';
import type { Trace } from './world/trace.js';

/** A lock is passed on in one turn of the event loop for a millisecond at most; several locks may be, and the calls of a crowd are made in one, too. */
const LONGEST_TURN_OF_LOOP_MS = 6;

/** See the module comment. */
export class Court implements Witness {
  readonly others: OtherJudges;
  readonly #scenario: Scenario;
  readonly #timeline: Timeline;
  readonly #trace: Trace;
  readonly #victims: Victims;
  readonly #exclusion: ExclusionJudge;
  /** Of locks by majority: no fault takes one away. */
  readonly #majorities: ExclusionJudge;
  readonly #byMajority: ReadonlySet<string>;
  /** Of what servers keep. */
  readonly #records: RecordJudge | undefined;
  readonly #lines: LineJudge | undefined;
  readonly #ghosts: GhostJudge | undefined;
  readonly #peace: PeaceJudges;
  readonly #deadlines: DeadlineJudge;
  readonly #fixedLeases: FixedLeaseJudge;
  readonly #earlyLosses: EarlyLossJudge;
  readonly #regained: RegainedJudge;
  readonly #tokens: TokenJudge | undefined;
  readonly #inheritances: InheritanceJudge;
  /** Where clients have limits. */
  readonly #limits: LimitJudge | undefined;
  readonly #pending = new Map<object, string>();
  /** `<process> <lock>`: the server has refused a call of that process. */
  readonly #refused = new Set<string>();
  readonly #isRefusing: boolean;
  /** Processes stand still here, and nothing else breaks. */
  readonly #isStandingStillOnly: boolean;
  readonly #lastOwner = new Map<string, string>();
  #violation: Violation | undefined;
  #holds = 0;
  #passed = 0;
  #losses = 0;

  constructor(scenario: Scenario, timeline: Timeline, trace: Trace) {
    this.#scenario = scenario;
    this.#timeline = timeline;
    this.#trace = trace;
    const report = (violation: Violation) => this.#report(violation);
    const leases = scenario.processes.map(({ client }) => client.watchdogTimeoutMs);
    const excusedMs = Math.max(LONGEST_FIXED_LEASE_MS, ...leases) + 500;
    this.#victims = new Victims(
      excusedMs,
      new Set(scenario.kind === 'fair' ? [] : [...watchedLocks(scenario).values()].map(({ name }) => name)),
    );
    this.#exclusion = new ExclusionJudge(this.#victims, report);
    this.#majorities = new ExclusionJudge(new Victims(0, new Set()), report);
    this.#byMajority = new Set(scenario.others.flatMap(({ kind, name }) => (kind === 'majority' ? [name] : [])));
    const holdsOf = (lock: string) => this.#exclusion.openOn(lock);
    this.others = new OtherJudges(scenario, { excusedMs, holdsOf, report });
    // Where data is lost, what has ended may come back.
    this.#ghosts = scenario.class === 'taken' ? undefined : new GhostJudge(report);
    const isKept = keepsData(scenario);
    this.#records = isKept ? new RecordJudge(scenario, report) : undefined;
    this.#lines = isKept ? new LineJudge(scenario, report) : undefined;
    this.#inheritances = new InheritanceJudge(scenario, report);
    const { kind, others } = scenario;
    const isLimited = scenario.processes.some(({ client }) => client.limits !== undefined);
    this.#limits = isLimited && scenario.class === 'calm' ? new LimitJudge(scenario, report) : undefined;
    this.#peace = new PeaceJudges(scenario, report);
    this.#deadlines = new DeadlineJudge(report);
    this.#isStandingStillOnly = scenario.faults.every(({ kind: fault }) => standingStill.has(fault));
    this.#isRefusing = scenario.faults.some(({ kind: fault }) => refusing.has(fault));
    this.#fixedLeases = new FixedLeaseJudge(report);
    this.#earlyLosses = new EarlyLossJudge(report);
    this.#regained = new RegainedJudge(scenario, holdsOf, report);
    const hasTokens = kind === 'fenced' || others.some((one) => one.kind === 'guard');
    this.#tokens = hasTokens && scenario.class !== 'taken' ? new TokenJudge(report) : undefined;
  }

  /** The first thing that was wrong; undefined when nothing was. */
  get violation(): Violation | undefined {
    return this.#violation;
  }

  get counts(): { readonly holds: number; readonly passed: number; readonly losses: number } {
    return { holds: this.#holds, passed: this.#passed, losses: this.#losses };
  }

  /** Calls that have been made and have not settled, as words; '': none. */
  get unsettled(): string {
    return [...this.#pending.values()].join(', ');
  }

  /** A process has begun, with a client of its own. */
  began(process: WorldProcess, client: LockClient, plan: ProcessPlan): void {
    this.#victims.began(process, client.clientId);
    this.others.began(client.clientId, plan);
  }

  enter(desk: Desk, lock: string, hold: Hold | undefined, inside: OpenHold | undefined, side?: Side): OpenHold {
    const { process } = desk;
    const now = process.time;
    this.#counts(desk, lock, inside === undefined ? '' : ' nested');
    const entry = this.#exclusionOf(lock).enter(now, process, lock, hold, inside, desk.chance.happens(0.5), side);
    this.#peace.entered(now, entry);
    this.#tokens?.entered(now, entry);
    this.#inheritances.entered(now, entry);
    this.#limits?.entered(entry);
    this.#earlyLosses.entered(entry);
    return entry;
  }

  hasOther(desk: Desk, name: string): void {
    this.#counts(desk, name, '');
  }

  leave(entry: OpenHold): void {
    const { process, lock } = entry;
    this.#trace.note(process.time, 'leave', process.number, () => `${process.name} ${lock}`);
    const exclusion = this.#exclusionOf(lock);
    exclusion.leave(entry);
    this.#earlyLosses.left(entry);
    this.#inheritances.left(process.time, entry);
    const freeAt = this.others.freeAt(process.time, lock, process);
    this.#peace.left(process.time, entry, exclusion.openOn(lock).length, freeAt);
  }

  confirm(entry: OpenHold): void {
    this.#exclusionOf(entry.lock).confirm(entry);
  }

  waits(desk: Desk, lock: string, side: Side = 'alone'): Wait {
    const { process } = desk;
    return all([...this.#peace.waits(process, lock, side), this.#inheritances.waits(process, lock)]);
  }

  leased(entry: OpenHold, leaseMs: number): void {
    this.#fixedLeases.look(entry, leaseMs);
  }

  mayWait({ process, attemptTimeoutMs }: Desk, lock: string, waitMs: number): () => void {
    return this.#deadlines.calls(process, lock, waitMs, attemptTimeoutMs);
  }

  counted(desk: Desk, lock: string, entry: OpenHold, expected: number, counted: number): void {
    if (counted === expected) return;
    // Lost meanwhile, by a fault or by a lease that was too short: then there is nothing to count.
    const lost = entry.hold === undefined ? counted === 0 : entry.hold.state === 'lost';
    // Deleted, or as it was before a failover.
    if (lost || this.#scenario.class === 'taken') return;
    // An unlock further in that was refused is not counted down; the last release undoes it. Of a call that was given up nobody is told.
    if (counted > expected && (this.#isRefusing || this.#refused.has(`${desk.process.number} ${lock}`))) return;
    this.fail('hold count', lock, `${desk.name} holds it ${expected} times, Redis says ${counted}`);
  }

  failed(desk: Desk, lock: string, error: unknown, pattern: string): void {
    const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#trace.note(desk.process.time, 'refusal', desk.process.number, () => `${desk.name} ${pattern} ${told}`);
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'LOCK_LOST') this.#losses++;
    if (code === 'LOCK_REFUSED') this.#refused.add(`${desk.process.number} ${lock}`);
    if (code === LockLimitError.code && this.#limits !== undefined) return;
    const rule = brokenBy(error, this.#scenario.class, pattern);
    if (rule !== undefined) this.fail(rule, lock, `${desk.name} in ${pattern}: ${told}`);
  }

  computed({ process, name }: Desk, lock: string): void {
    const turnMs = process.time - process.turnBegan;
    if (turnMs <= LONGEST_TURN_OF_LOOP_MS) return;
    this.fail('turn', lock, `${name}: sections of one turn of the event loop have taken ${turnMs.toFixed(1)} ms`);
  }

  listening({ name }: Desk, listeners: number): void {
    if (listeners > 0)
      this.fail('left behind', undefined, `${name}: ${listeners} listeners on the signal of a call that has settled`);
  }

  readonly unhandled = (reason: unknown): void => {
    this.fail('unhandled rejection', undefined, String(reason));
  };

  async pending<T>(desk: Desk, what: string, call: Promise<T>): Promise<T> {
    const token = {};
    this.#trace.note(desk.process.time, 'call', desk.process.number, () => `${desk.name} ${what}`);
    this.#pending.set(token, `${desk.name}: ${what}`);
    this.#limits?.calls(desk.process, token);
    try {
      return await call;
    } catch (error) {
      if (error instanceof LockLimitError) this.#limits?.refused(desk.process, token, error);
      throw error;
    } finally {
      this.#limits?.settled(desk.process, token);
      this.#pending.delete(token);
    }
  }

  /** After each event. */
  look(): void {
    this.#exclusion.look(this.#timeline.now);
    this.#majorities.look(this.#timeline.now);
    this.#earlyLosses.look(this.#timeline.now);
    this.#regained.look(this.#timeline.now);
    this.others.look(this.#timeline.now);
  }

  /** A server has executed `request`. */
  executed(server: MemoryServer, request: readonly string[]): void {
    // However long the call has been on its way: who had the lock is told from now on.
    if (scriptOf(request) === 'force') this.#exclusion.taken(this.#timeline.now, request[3]);
    this.#noteOwners(server, request);
    this.#ghosts?.executed(this.#timeline.now, server, request);
    this.#records?.executed(this.#timeline.now, server, request);
    this.#lines?.executed(this.#timeline.now, server, request);
    this.#regained.executed(this.#timeline.now, request);
    this.others.executed(this.#timeline.now, server, request);
  }

  /** A client reads a reply. */
  answered(process: WorldProcess, reply: unknown): void {
    this.#regained.answered(process, reply);
  }

  /** A client ends an open connection, before it closes. */
  endsConnection(process: WorldProcess): void {
    if (!this.#isStandingStillOnly) return;
    this.fail('connection', undefined, `${process.name} ends a connection to a server that answers`);
  }

  /** A fault takes this lock away; undefined: all that the server knew. */
  taken(lock: string | undefined): void {
    this.#exclusion.taken(this.#timeline.now, lock);
    if (lock === undefined) this.others.taken(this.#timeline.now);
  }

  /** A fault takes away those who stand in line for this lock. */
  lineLost(lock: string): void {
    this.#lines?.lost(lock);
  }

  /** A server has lost its data. */
  emptied(server: MemoryServer): void {
    this.#ghosts?.emptied(server);
  }

  buried(process: WorldProcess): void {
    this.#exclusion.buried(process);
    this.#majorities.buried(process);
    this.others.buried(process);
    for (const [token, what] of this.#pending) if (what.startsWith(`${process.name}/`)) this.#pending.delete(token);
  }

  /** A call of some process for this lock was refused: what would have given it back may have been, too. */
  wasRefused(lock: string): boolean {
    return this.#scenario.processes.some(({ number }) => this.#refused.has(`${number} ${lock}`));
  }

  /** Everybody has gone, and every lease has had time to end. */
  ended(server: MemoryServer): void {
    this.others.ended(this.#timeline.now, server);
  }

  fail(rule: Rule, lock: string | undefined, text: string): void {
    this.#report({ rule, at: this.#timeline.now, lock, text });
  }

  /** Where locks may be taken away: from whom. */
  #noteOwners(server: MemoryServer, request: readonly string[]): void {
    if (this.#scenario.class !== 'taken') return;
    const keys = server.keysOf();
    for (const { lock } of changesIn(request)) this.#victims.owned(this.#timeline.now, lock, keys.find(lock)?.value);
  }

  #exclusionOf(lock: string): ExclusionJudge {
    return this.#byMajority.has(lock) ? this.#majorities : this.#exclusion;
  }

  #counts({ process, name }: Desk, lock: string, how: string): void {
    this.#holds++;
    if (this.#lastOwner.get(lock) !== process.name) {
      this.#passed++;
      this.#lastOwner.set(lock, process.name);
    }
    this.#trace.note(process.time, 'hold', process.number, () => `${name} ${lock}${how}`);
  }

  #report(violation: Violation): void {
    if (this.#violation !== undefined) return;
    this.#violation = violation;
    this.#trace.note(violation.at, 'end', 0, () => `VIOLATION ${violation.rule}: ${violation.text}`);
  }
}

const refusing: ReadonlySet<FaultKind> = new Set<FaultKind>(['oom', 'noperm', 'busy']);
const standingStill: ReadonlySet<FaultKind> = new Set<FaultKind>(['stop', 'stall', 'stall-inside']);
const losing: ReadonlySet<FaultKind> = new Set<FaultKind>(['del', 'restart-empty', 'failover']);

/** Nothing that the server of all locks knows is lost, though some may be forced. */
const keepsData = ({ faults }: Scenario): boolean =>
  !faults.some(({ kind, node }) => node === undefined && losing.has(kind));

const all = (waits: readonly (Wait | undefined)[]): Wait => ({
  had() {
    for (const wait of waits) wait?.had();
  },
  settled() {
    for (const wait of waits) wait?.settled();
  },
});
