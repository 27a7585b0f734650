/** Runs one scenario to its end and judges it. */

import { lockKeys, readWriteKeys } from '@holdfast/core';
import type { Hold } from 'holdfast';
import { ExclusionJudge, type OpenHold, type Side } from './judges/exclusion.js';
import { GhostJudge } from './judges/ghosts.js';
import { OrderJudge } from './judges/order.js';
import { OtherJudges } from './judges/others.js';
import { TokenJudge } from './judges/tokens.js';
import type { Wait } from './judges/wait.js';
import { WakeupJudge } from './judges/wakeups.js';
import { leftBehind } from './judges/leftovers.js';
import type { Rule, Violation } from './judges/violation.js';
import type { Scenario, TaskPlan } from './plan/scenario.js';
import type { FaultKind } from './plan/faults.js';
import type { Desk, Witness } from './work/desk.js';
import { brokenBy } from './work/explained.js';
import { lastTurn, step } from './work/patterns.js';
import { breakNow } from './world/breaking.js';
import { finishJobs } from './world/jobs.js';
import { Phase } from './world/timeline.js';
import { Trace } from './world/trace.js';
import { type Life, World } from './world/world.js';

/** What a run came to. */
export interface RunResult {
  readonly scenario: Scenario;
  /** The first thing that was wrong; undefined when nothing was. */
  readonly violation: Violation | undefined;
  /** Two runs with the same are the same, to the last event. */
  readonly digest: string;
  readonly trace: readonly string[];
  readonly counts: RunCounts;
}

export interface RunCounts {
  readonly events: number;
  readonly holds: number;
  /** Of those, after another process. */
  readonly passed: number;
  readonly steps: number;
  readonly losses: number;
  readonly faults: number;
  readonly byFault: Partial<Record<FaultKind, number>>;
  /** World time that passed, in milliseconds. */
  readonly worldMs: number;
}

export interface RunOptions {
  /** Whether to keep the trace as text. Default: its number only. */
  readonly trace?: 'with text' | 'number only';
}

/** Beside the longest lease: a line of dead waiters, reconnections, a connection that has to be found silent. */
const PATIENCE_MS = 60_000;
/** Closing waits for answers, and for nothing else. */
const CLOSING_MS = 60_000;

/** Must be called in a macrotask (see `inMacrotask`). */
export function runScenario(scenario: Scenario, { trace = 'number only' }: RunOptions = {}): RunResult {
  const emitWarning: unknown = Reflect.get(process, 'emitWarning');
  const { stackTraceLimit } = Error;
  // Warnings of simulated processes are none of this one, and nobody reads where their thousands of errors were made.
  process.emitWarning = () => undefined;
  Error.stackTraceLimit = 0;
  const run = new Run(scenario, new Trace(trace));
  process.on('unhandledRejection', run.unhandled);
  try {
    return run.go();
  } finally {
    process.off('unhandledRejection', run.unhandled);
    Reflect.set(process, 'emitWarning', emitWarning);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

class Run implements Witness {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #exclusion: ExclusionJudge;
  readonly #wakeups: WakeupJudge | undefined;
  readonly #order: OrderJudge | undefined;
  readonly #tokens: TokenJudge | undefined;
  readonly #others: OtherJudges;
  readonly #pending = new Map<object, string>();
  readonly #byFault: Partial<Record<FaultKind, number>> = {};
  /** `<process> <lock>`: the server has refused a call of that process. */
  readonly #refused = new Set<string>();
  readonly #lastOwner = new Map<string, string>();
  #violation: Violation | undefined;
  #tasks = 0;
  #holds = 0;
  #passed = 0;
  #steps = 0;
  #losses = 0;
  #faults = 0;
  ending = false;

  constructor(scenario: Scenario, trace: Trace) {
    this.#scenario = scenario;
    this.#world = new World(scenario, trace);
    const report = (violation: Violation) => this.#report(violation);
    const leases = scenario.processes.map(({ client }) => client.watchdogTimeoutMs);
    const excusedMs = Math.max(600, ...leases) + 500;
    this.#exclusion = new ExclusionJudge(excusedMs, report);
    this.#others = new OtherJudges(scenario, excusedMs, report);
    // Where data is lost, what has ended may come back.
    const ghosts = scenario.class === 'taken' ? undefined : new GhostJudge(report);
    this.#world.network.onExecuted = (server, request) => {
      ghosts?.executed(this.#world.timeline.now, server, request);
      this.#others.executed(this.#world.timeline.now, server, request);
    };
    const { kind } = scenario;
    this.#wakeups = scenario.class === 'calm' ? new WakeupJudge(scenario, report) : undefined;
    // Nobody stands in line where Redisson's messages wake.
    const inLine = kind === 'fair' && scenario.class === 'calm' && scenario.wakeup === 'queue';
    this.#order = inLine ? new OrderJudge(scenario, report) : undefined;
    this.#tokens = kind === 'fenced' && scenario.class !== 'taken' ? new TokenJudge(report) : undefined;
  }

  go(): RunResult {
    const { timeline } = this.#world;
    for (const plan of this.#scenario.processes) this.#begin(this.#world.start(plan));
    this.#planFaults();
    timeline.at(this.#scenario.workMs, Phase.timer, undefined, () => {
      this.ending = true;
    });
    // The first jobs: what constructors have put off.
    finishJobs();
    const leases = this.#scenario.processes.map(({ client }) => client.watchdogTimeoutMs);
    timeline.run(this.#scenario.workMs + PATIENCE_MS + Math.max(...leases), () => {
      this.#exclusion.look(timeline.now);
      this.#others.look(timeline.now);
      return this.#violation !== undefined || (this.ending && this.#tasks === 0) ? 'enough' : 'go on';
    });
    if (this.#tasks > 0)
      this.#fail('starved', undefined, [...this.#pending.values()].join(', ') || 'a task stands still');
    if (this.#violation === undefined) this.#close();
    return {
      scenario: this.#scenario,
      violation: this.#violation,
      digest: this.#world.trace.digest,
      trace: this.#world.trace.text,
      counts: {
        events: timeline.events,
        holds: this.#holds,
        passed: this.#passed,
        steps: this.#steps,
        losses: this.#losses,
        faults: this.#faults,
        byFault: this.#byFault,
        worldMs: timeline.now,
      },
    };
  }

  enter(desk: Desk, lock: string, hold: Hold | undefined, inside: OpenHold | undefined, side?: Side): OpenHold {
    const { process } = desk;
    const now = process.time;
    this.#counts(desk, lock, inside === undefined ? '' : ' nested');
    const entry = this.#exclusion.enter(now, process, lock, hold, inside, desk.chance.happens(0.5), side);
    this.#wakeups?.entered(now, lock);
    this.#tokens?.entered(now, entry);
    return entry;
  }

  hasOther(desk: Desk, name: string): void {
    this.#counts(desk, name, '');
  }

  leave(entry: OpenHold): void {
    const { process, lock } = entry;
    this.#world.trace.note(process.time, 'leave', process.number, () => `${process.name} ${lock}`);
    this.#exclusion.leave(entry);
    this.#wakeups?.left(process.time, entry, this.#exclusion.openOn(lock).length);
  }

  confirm(entry: OpenHold): void {
    this.#exclusion.confirm(entry);
  }

  waits(desk: Desk, lock: string): Wait {
    const { process } = desk;
    return both(
      this.#wakeups?.waits(process.time, lock),
      this.#order?.waits(() => process.time, lock),
    );
  }

  counted(desk: Desk, lock: string, entry: OpenHold, expected: number, counted: number): void {
    if (counted === expected) return;
    // Lost meanwhile, by a fault or by a lease that was too short: then there is nothing to count.
    const lost = entry.hold === undefined ? counted === 0 : entry.hold.state === 'lost';
    // Deleted, or as it was before a failover.
    if (lost || this.#scenario.class === 'taken') return;
    // An unlock further in that was refused is not counted down; the last release undoes it.
    if (counted > expected && this.#refused.has(`${desk.process.number} ${lock}`)) return;
    this.#fail('hold count', lock, `${desk.name} holds it ${expected} times, Redis says ${counted}`);
  }

  failed(desk: Desk, lock: string, error: unknown, pattern: string): void {
    const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#world.trace.note(desk.process.time, 'refusal', desk.process.number, () => `${desk.name} ${pattern} ${told}`);
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'LOCK_LOST') this.#losses++;
    if (code === 'LOCK_REFUSED') this.#refused.add(`${desk.process.number} ${lock}`);
    const rule = brokenBy(error, this.#scenario.class, pattern);
    if (rule !== undefined) this.#fail(rule, lock, `${desk.name} in ${pattern}: ${told}`);
  }

  readonly unhandled = (reason: unknown): void => {
    this.#fail('unhandled rejection', undefined, String(reason));
  };

  async pending<T>(desk: Desk, what: string, call: Promise<T>): Promise<T> {
    const token = {};
    this.#world.trace.note(desk.process.time, 'call', desk.process.number, () => `${desk.name} ${what}`);
    this.#pending.set(token, `${desk.name}: ${what}`);
    try {
      return await call;
    } finally {
      this.#pending.delete(token);
    }
  }

  #counts({ process, name }: Desk, lock: string, how: string): void {
    this.#holds++;
    if (this.#lastOwner.get(lock) !== process.name) {
      this.#passed++;
      this.#lastOwner.set(lock, process.name);
    }
    this.#world.trace.note(process.time, 'hold', process.number, () => `${name} ${lock}${how}`);
  }

  #begin(life: Life): void {
    const { process, client, plan } = life;
    process.at(this.#world.timeline.now, Phase.timer, () => {
      for (const task of plan.tasks) {
        const desk: Desk = {
          process,
          client,
          chance: process.chance.of(`task ${task.name}`),
          locks: this.#scenario.locks,
          kind: this.#scenario.kind,
          shared: this.#scenario.shared,
          others: this.#scenario.others,
          judges: this.#others,
          leaseMs: plan.client.watchdogTimeoutMs,
          computes: this.#scenario.class !== 'calm',
          witness: this,
          name: `${process.name}/${task.name}`,
        };
        this.#tasks++;
        void this.#task(desk, task).then(() => this.#tasks--);
      }
    });
  }

  async #task(desk: Desk, { steps, pauseMs }: TaskPlan): Promise<void> {
    for (let done = 0; done < steps && !this.ending; done++) {
      await step(desk);
      this.#steps++;
      await desk.process.sleep(desk.chance.next() * 2 * pauseMs);
    }
    while (!this.ending) await desk.process.sleep(100);
    while ((await lastTurn(desk)) === 'failed') await desk.process.sleep(50);
  }

  #planFaults(): void {
    const { timeline } = this.#world;
    for (const fault of this.#scenario.faults) {
      timeline.at(fault.at, Phase.timer, undefined, () => {
        // Tasks of a process that dies never end.
        const dying = fault.kind === 'kill' ? this.#world.lifeOf(fault.process) : undefined;
        const done = breakNow(fault, this.#world, this.#scenario, {
          taken: (lock) => {
            this.#exclusion.taken(timeline.now, lock);
            if (lock === undefined) this.#others.taken(timeline.now);
          },
          began: (life) => this.#begin(life),
          force: (life, lock) => this.#force(life, lock),
        });
        if (!done) return;
        if (dying !== undefined) this.#buried(dying);
        this.#faults++;
        this.#byFault[fault.kind] = (this.#byFault[fault.kind] ?? 0) + 1;
        this.#world.trace.note(timeline.now, 'fault', 0, () => JSON.stringify(fault));
      });
    }
  }

  #buried({ process, plan }: Life): void {
    this.#tasks -= plan.tasks.length;
    this.#exclusion.buried(process);
    this.#others.buried(process);
    for (const [token, what] of this.#pending) if (what.startsWith(`${process.name}/`)) this.#pending.delete(token);
  }

  #force({ process, client }: Life, lock: string): void {
    const { timeline } = this.#world;
    process.at(timeline.now, Phase.timer, () => {
      const taken = () => this.#exclusion.taken(timeline.now, lock);
      taken();
      void client.getLock(lock).forceUnlock().then(taken, taken);
    });
  }

  #close(): void {
    const { timeline, server } = this.#world;
    let open = 0;
    const living = this.#world.lives.filter(({ process }) => !process.gone);
    for (const { process, client, yours } of living) {
      open++;
      process.at(timeline.now, Phase.timer, () => {
        const closed = () => {
          yours?.disconnect();
          open--;
        };
        void client.close().then(closed, (error: unknown) => {
          this.#fail('unexplained error', undefined, `close: ${String(error)}`);
          closed();
        });
      });
    }
    const end = () => (this.#violation === undefined && open > 0 ? 'go on' : 'enough');
    timeline.run(timeline.now + CLOSING_MS, end);
    if (open > 0) this.#fail('call without end', undefined, `close() of ${open} clients`);
    if (this.#pending.size > 0) this.#fail('call without end', undefined, [...this.#pending.values()].join(', '));
    // Until servers have noticed the end of every connection, and the last lease, queue and tombstone are over.
    timeline.run(timeline.now + CLOSING_MS, () => 'go on');
    this.#others.ended(timeline.now, server.master);
    const { locks, shared } = this.#scenario;
    const keys = [
      ...locks
        .map((lock) => lockKeys(lock))
        .map(({ name, lock, queue, fresh }) => ({ name, keys: [lock, queue, fresh] })),
      ...shared
        .map((lock) => readWriteKeys(lock))
        .map(({ name, lock, writers, readers, fresh }) => ({ name, keys: [lock, writers, readers, fresh] })),
    ];
    for (const text of leftBehind(this.#world, living, server.master, keys)) this.#fail('left behind', undefined, text);
  }

  #fail(rule: Rule, lock: string | undefined, text: string): void {
    this.#report({ rule, at: this.#world.timeline.now, lock, text });
  }

  #report(violation: Violation): void {
    if (this.#violation !== undefined) return;
    this.#violation = violation;
    this.#world.trace.note(violation.at, 'end', 0, () => `VIOLATION ${violation.rule}: ${violation.text}`);
  }
}

const both = (one: Wait | undefined, other: Wait | undefined): Wait => ({
  had() {
    one?.had();
    other?.had();
  },
  settled() {
    one?.settled();
    other?.settled();
  },
});
