/** Runs one scenario to its end and judges it. */

import { lockKeys, readWriteKeys } from '@holdfast/core';
import { Court } from './court.js';
import { clientsLeft, type LockKeys, ownersLeft, serverLeft, votesLeft } from './judges/leftovers.js';
import { HANDOVER_TRIPS, tripsMs } from './judges/peace.js';
import { watchedLocks } from './judges/watched.js';
import type { Violation } from './judges/violation.js';
import type { FaultKind } from './plan/faults.js';
import { forksOf } from './plan/forks.js';
import type { OtherKind, Scenario, TaskPlan } from './plan/scenario.js';
import type { Desk } from './work/desk.js';
import { lastTurn, step } from './work/patterns.js';
import { breakNow } from './world/breaking.js';
import { bystandersOf } from './world/bystanders.js';
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

/** What is a lock under its own name. */
const locksBeside: ReadonlySet<OtherKind> = new Set<OtherKind>([
  'spin',
  'rest',
  'left',
  'owners',
  'guard',
  'stranger',
  'later',
]);
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

class Run {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #court: Court;
  readonly #byFault: Partial<Record<FaultKind, number>> = {};
  #tasks = 0;
  #steps = 0;
  #faults = 0;
  /** Nothing new is begun. */
  #ending = false;

  constructor(scenario: Scenario, trace: Trace) {
    this.#scenario = scenario;
    this.#world = new World(scenario, trace);
    this.#court = new Court(scenario, this.#world.timeline, trace);
    const bystanders = bystandersOf(scenario, this.#world, this.#court);
    this.#world.network.onExecuted = (server, request) => {
      this.#court.executed(server, request);
      for (const bystander of bystanders) bystander.executed(server, request);
    };
    this.#world.network.onAnswered = (process, reply) => this.#court.answered(process, reply);
    this.#world.network.onEnded = (process) => this.#court.endsConnection(process);
    const { later, owners } = this.#court.others;
    if (later.length + owners.length > 0) this.#listen();
  }

  #listen(): void {
    const { network, timeline } = this.#world;
    const { later, owners } = this.#court.others;
    network.onSent = (request) => {
      for (const judge of later) judge.sent(timeline.now, request);
      for (const judge of owners) judge.firstCalls.sent(request);
    };
    network.onHeard = (message) => {
      for (const judge of later) judge.heard(timeline.now, message);
    };
  }

  get unhandled(): (reason: unknown) => void {
    return this.#court.unhandled;
  }

  go(): RunResult {
    const { timeline } = this.#world;
    for (const plan of this.#scenario.processes) this.#begin(this.#world.start(plan));
    this.#planFaults();
    timeline.at(this.#scenario.workMs, Phase.timer, undefined, () => {
      this.#ending = true;
    });
    // The first jobs: what constructors have put off.
    finishJobs();
    const leases = this.#scenario.processes.map(({ client }) => client.watchdogTimeoutMs);
    timeline.run(this.#scenario.workMs + PATIENCE_MS + Math.max(...leases), () => {
      this.#court.look();
      return this.#court.violation !== undefined || (this.#ending && this.#tasks === 0) ? 'enough' : 'go on';
    });
    if (this.#tasks > 0) this.#court.fail('starved', undefined, this.#court.unsettled || 'a task stands still');
    this.#lookForVotes();
    this.#lookForOwners();
    if (this.#court.violation === undefined) this.#close();
    return {
      scenario: this.#scenario,
      violation: this.#court.violation,
      digest: this.#world.trace.digest,
      trace: this.#world.trace.text,
      counts: {
        events: timeline.events,
        ...this.#court.counts,
        steps: this.#steps,
        faults: this.#faults,
        byFault: this.#byFault,
        worldMs: timeline.now,
      },
    };
  }

  #begin(life: Life): void {
    const { process, client, majority, plan } = life;
    this.#court.began(process, client, plan);
    process.at(this.#world.timeline.now, Phase.timer, () => {
      for (const task of plan.tasks) {
        const desk: Desk = {
          process,
          client,
          majority,
          chance: process.chance.of(`task ${task.name}`),
          processes: this.#scenario.processes.map(({ number }) => number),
          class: this.#scenario.class,
          locks: this.#scenario.locks,
          habits: this.#scenario.habits,
          kind: this.#scenario.kind,
          shared: this.#scenario.shared,
          others: this.#scenario.others,
          judges: this.#court.others,
          leaseMs: plan.client.watchdogTimeoutMs,
          attemptTimeoutMs: plan.client.attemptTimeoutMs,
          computes: this.#scenario.class !== 'calm',
          witness: this.#court,
          name: `${process.name}/${task.name}`,
        };
        this.#tasks++;
        void this.#task(desk, task).then(() => this.#tasks--);
      }
    });
  }

  async #task(desk: Desk, { steps, pauseMs }: TaskPlan): Promise<void> {
    for (let done = 0; done < steps && !this.#ending; done++) {
      await step(desk);
      this.#steps++;
      await desk.process.sleep(desk.chance.next() * 2 * pauseMs);
    }
    while (!this.#ending) await desk.process.sleep(100);
    while ((await lastTurn(desk)) === 'failed') await desk.process.sleep(50);
  }

  #planFaults(): void {
    const { timeline } = this.#world;
    for (const fault of this.#scenario.faults) {
      timeline.at(fault.at, Phase.timer, undefined, () => {
        // Tasks of a process that dies never end.
        const dying = fault.kind === 'kill' ? this.#world.lifeOf(fault.process) : undefined;
        const done = breakNow(fault, this.#world, this.#scenario, {
          taken: (lock) => this.#court.taken(lock),
          lineLost: (lock) => this.#court.lineLost(lock),
          emptied: (server) => this.#court.emptied(server),
          began: (life) => this.#begin(life),
          force,
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
    this.#court.buried(process);
  }

  /** In peace, and before any lease is over. */
  #lookForVotes(): void {
    const { nodes, timeline } = this.#world;
    if (nodes.length === 0 || this.#scenario.class !== 'calm') return;
    // Of a crowd one may fail, and the others still wait.
    timeline.run(timeline.now + PATIENCE_MS, () => (this.#court.unsettled === '' ? 'enough' : 'go on'));
    timeline.run(timeline.now + tripsMs(HANDOVER_TRIPS, this.#scenario), () => 'go on');
    const locks = this.#scenario.others.flatMap(({ kind, name }) => (kind === 'majority' ? [name] : []));
    for (const text of votesLeft(nodes, locks)) this.#court.fail('left behind', undefined, text);
  }

  /** Whoever died, or left its lock open, has it until its lease is over; and a lock that rests is to be had by nobody. */
  #lookForOwners(): void {
    const { timeline, server } = this.#world;
    const { faults, others } = this.#scenario;
    const isKept = others.some(({ kind }) => kind === 'left' || kind === 'rest');
    if (this.#court.violation !== undefined || isKept || faults.some(({ kind }) => kind === 'kill')) return;
    // Of a crowd one may fail, and the others still wait.
    timeline.run(timeline.now + PATIENCE_MS, () => (this.#court.unsettled === '' ? 'enough' : 'go on'));
    timeline.run(timeline.now + tripsMs(HANDOVER_TRIPS, this.#scenario), () => 'go on');
    const locks = [...watchedLocks(this.#scenario).values()].filter(({ name }) => !this.#court.wasRefused(name));
    for (const text of ownersLeft(server, locks)) this.#court.fail('left behind', undefined, text);
  }

  #close(): void {
    const { timeline, server, nodes, network } = this.#world;
    network.onEnded = () => undefined;
    let open = 0;
    const living = this.#world.lives.filter(({ process }) => !process.gone);
    for (const { process, client, majority, yours } of living) {
      open++;
      process.at(timeline.now, Phase.timer, () => {
        const closed = () => {
          for (const redis of yours) redis.disconnect();
          open--;
        };
        void Promise.all([client.close(), majority?.close()]).then(closed, (error: unknown) => {
          this.#court.fail('unexplained error', undefined, `close: ${String(error)}`);
          closed();
        });
      });
    }
    const end = () => (this.#court.violation === undefined && open > 0 ? 'go on' : 'enough');
    timeline.run(timeline.now + CLOSING_MS, end);
    if (open > 0) this.#court.fail('call without end', undefined, `close() of ${open} clients`);
    const { unsettled } = this.#court;
    if (unsettled !== '') this.#court.fail('call without end', undefined, unsettled);
    // Until servers have noticed the end of every connection, and the last lease, queue and tombstone are over.
    timeline.run(timeline.now + CLOSING_MS, () => 'go on');
    this.#court.ended(server.master);
    const { locks, shared, others, processes } = this.#scenario;
    const forks = others.flatMap((plan) =>
      plan.kind === 'circle' ? processes.map(({ number }) => forksOf(plan, number)) : [],
    );
    const besides = others.flatMap((plan) => {
      if (plan.kind === 'multi') return plan.members;
      return locksBeside.has(plan.kind) ? [plan.name] : [];
    });
    const keys = [
      ...[...locks, ...besides, ...forks.flatMap(({ alone }) => alone)].map(keysOf),
      ...[...shared, ...forks.flatMap((of) => [of.shared, of.line])]
        .map((lock) => readWriteKeys(lock))
        .map(({ name, lock, writers, readers, fresh }) => ({ name, keys: [lock, writers, readers, fresh] })),
    ];
    const kept = others.flatMap(({ kind, name }) => (kind === 'majority' ? [keysOf(name)] : []));
    const left = [
      ...clientsLeft(this.#world, living),
      ...serverLeft(server, keys),
      ...nodes.flatMap((node) => serverLeft(node, kept)),
    ];
    for (const text of left) this.#court.fail('left behind', undefined, text);
  }
}

function keysOf(lock: string): LockKeys {
  const keys = lockKeys(lock);
  return { name: lock, keys: [keys.lock, keys.queue, keys.fresh] };
}

function force({ process, client }: Life, lock: string): void {
  const answered = () => undefined;
  process.at(process.time, Phase.timer, () => void client.getLock(lock).forceUnlock().then(answered, answered));
}
