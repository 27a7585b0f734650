/**
 * Does the history make sense at all? A recorder or a workload with a bug must not pass for a safe run, nor for an unsafe one.
 */
import type { HistoryEvent } from '../history/event.js';
import type { History } from '../history/read.js';
import type { Finding } from './findings.js';

type Operation = Extract<HistoryEvent, { readonly op: number }>;

interface Trail {
  readonly begun: Map<number, Operation>;
  readonly ended: Set<number>;
  readonly holds: Map<number, { readonly lock: string; readonly scope: number }>;
  readonly released: Set<number>;
}

/** Contradictions in the history itself, and operations that never ended although their process lived on. */
export function* nonsense(history: History): Generator<Finding> {
  const trails = new Map<string, Trail>();
  for (const event of history) {
    let trail = trails.get(event.worker);
    if (trail === undefined) {
      trail = { begun: new Map(), ended: new Set(), holds: new Map(), released: new Set() };
      trails.set(event.worker, trail);
    }
    const problem = problemOf(event, trail);
    if (problem !== undefined) {
      const name = 'op' in event ? `${event.worker} op ${event.op}` : event.worker;
      yield {
        rule: 'sanity',
        at: event.at,
        between: [name],
        text: problem,
        ...('lock' in event && event.lock !== undefined ? { lock: event.lock } : {}),
      };
    }
  }
  yield* unsettled(history, trails);
}

function problemOf(event: HistoryEvent, trail: Trail): string | undefined {
  if ('op' in event) {
    const problem = event.type === 'invoke' ? problemOfBegin(event, trail) : problemOfEnd(event, trail);
    if (problem !== undefined) return problem;
  }
  if (!('hold' in event) || (event.f === 'acquire' && event.type === 'invoke')) return undefined;
  const hold = trail.holds.get(event.hold);
  if (hold === undefined) return `hold ${event.hold} was never asked for`;
  if (hold.lock !== event.lock || hold.scope !== event.scope)
    return `hold ${event.hold} has another lock or scope than before`;
  return undefined;
}

function problemOfBegin(event: Operation, { begun, holds, released }: Trail): string | undefined {
  if (begun.has(event.op)) return `operation ${event.op} begins twice`;
  begun.set(event.op, event);
  if (event.f === 'acquire' && event.type === 'invoke') {
    if (holds.has(event.hold)) return `hold ${event.hold} is asked for twice`;
    if (!Number.isInteger(event.depth) || event.depth < 1) return `depth ${event.depth}`;
    if (event.inside !== undefined && !holds.has(event.inside))
      return `it is inside ${event.inside}, which was never asked for`;
    holds.set(event.hold, event);
  } else if (event.f === 'release') {
    if (released.has(event.hold)) return `hold ${event.hold} is released twice`;
    released.add(event.hold);
  }
  return undefined;
}

function problemOfEnd(event: Operation, { begun, ended }: Trail): string | undefined {
  const invoke = begun.get(event.op);
  if (invoke === undefined) return `operation ${event.op} ends and never began`;
  if (invoke.f !== event.f) return `operation ${event.op} begins as ${invoke.f} and ends as ${event.f}`;
  if ('hold' in invoke && 'hold' in event && invoke.hold !== event.hold)
    return `operation ${event.op} changes its hold`;
  if (invoke.lock !== event.lock) return `operation ${event.op} changes its lock`;
  if (ended.has(event.op)) return `operation ${event.op} ends twice`;
  ended.add(event.op);
  return undefined;
}

function* unsettled(history: History, trails: ReadonlyMap<string, Trail>): Generator<Finding> {
  const killed = new Set(
    history.flatMap((event) => (event.f === 'fault' && event.code === 'sigkill' ? [event.target] : [])),
  );
  for (const [worker, { begun, ended }] of trails) {
    if (killed.has(worker)) continue;
    for (const { op, at, f, lock } of begun.values()) {
      if (!ended.has(op))
        yield { rule: 'unsettled', at, lock, between: [`${worker} op ${op}`], text: `${f} never ended` };
    }
  }
}
