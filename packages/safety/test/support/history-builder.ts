import type {
  AcquireInvoke,
  AcquireOk,
  HistoryEvent,
  LatchEnd,
  LatchInvoke,
  ReleaseInvoke,
  Truth,
} from '../../src/history/event.js';
import { type History, historyOf } from '../../src/history/read.js';

/** One level, told by its times (in milliseconds) and how it ends. */
export interface LevelPlan {
  readonly worker: string;
  readonly hold: number;
  /** Default: the number of the hold. */
  readonly scope?: number;
  readonly lock?: string;
  readonly depth?: number;
  readonly inside?: number;
  readonly leaseMs?: number;
  readonly side?: 'read' | undefined;
  readonly minHoldMs?: number;
  /** Of a semaphore of three permits. */
  readonly permits?: number;
  readonly token?: number;
  readonly tenure?: string;
  /** Of permits with ids. */
  readonly ids?: readonly string[];
  readonly ask: number;
  /** When it had it. Absent: see `miss`. */
  readonly got?: number;
  readonly miss?: { readonly at: number; readonly type: 'fail' | 'info' };
  /** What the hold said then. Default `held`. */
  readonly saysWhenGot?: Truth['state'];
  /** Deadline as known when it was acquired. Default: `got` + 30 s, or + leaseMs. */
  readonly until?: number;
  readonly release?: number;
  /** What the release came to. Default `ok`, 1 ms after it began. */
  readonly released?: { readonly at: number; readonly type: 'ok' | 'fail' | 'info' } | 'never';
  /** What the hold said when the release began. Default `held`. */
  readonly saysAtRelease?: Truth['state'];
  readonly lost?: number;
  readonly stores?: readonly (readonly [at: number, value: number])[];
  readonly samples?: readonly (readonly [at: number, state: Truth['state'], until?: number])[];
}

const micros = (millis: number): number => Math.round(millis * 1_000);

/** The events of one level. */
export function levelEvents(plan: LevelPlan): HistoryEvent[] {
  const { worker, hold, ask, got, miss, release, lost, leaseMs } = plan;
  const name = { worker, hold, lock: plan.lock ?? 'x', scope: plan.scope ?? hold };
  const op = 2 * hold;
  const until = micros(plan.until ?? (got ?? ask) + (leaseMs ?? 30_000));
  const events: HistoryEvent[] = [];
  const invoke: AcquireInvoke = {
    ...name,
    at: micros(ask),
    type: 'invoke',
    f: 'acquire',
    op,
    depth: plan.depth ?? 1,
    ...(plan.inside === undefined ? {} : { inside: plan.inside }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...(plan.side === undefined ? {} : { side: plan.side }),
    ...(plan.minHoldMs === undefined ? {} : { minHoldMs: plan.minHoldMs }),
    ...(plan.permits === undefined ? {} : { permits: plan.permits, permitsInAll: 3 }),
  };
  events.push(invoke);
  if (miss !== undefined)
    events.push({ ...name, at: micros(miss.at), type: miss.type, f: 'acquire', op, code: 'timeout' });
  if (got !== undefined) {
    const ok: AcquireOk = {
      ...name,
      at: micros(got),
      type: 'ok',
      f: 'acquire',
      op,
      state: plan.saysWhenGot ?? 'held',
      ...(plan.saysWhenGot === 'lost' ? {} : { until }),
      ...(plan.token === undefined ? {} : { token: plan.token }),
      ...(plan.tenure === undefined ? {} : { tenure: plan.tenure }),
      ...(plan.ids === undefined ? {} : { ids: plan.ids }),
    };
    events.push(ok);
  }
  for (const [at, state, end] of plan.samples ?? []) {
    const held = state === 'held' || state === 'suspect';
    const deadline = end === undefined ? until : micros(end);
    events.push({ ...name, at: micros(at), type: 'event', f: 'work', state, ...(held ? { until: deadline } : {}) });
  }
  for (const [at, value] of plan.stores ?? [])
    events.push({ ...name, at: micros(at), type: 'event', f: 'store', value });
  if (lost !== undefined) events.push({ ...name, at: micros(lost), type: 'event', f: 'lost', code: 'expired' });
  if (release !== undefined) {
    const says = plan.saysAtRelease ?? 'held';
    const begin: ReleaseInvoke = {
      ...name,
      at: micros(release),
      type: 'invoke',
      f: 'release',
      op: op + 1,
      state: says,
      ...(says === 'held' ? { until: Math.max(until, micros(release + 1)) } : {}),
    };
    events.push(begin);
    const released = plan.released ?? { at: release + 1, type: 'ok' };
    if (released !== 'never')
      events.push({ ...name, at: micros(released.at), type: released.type, f: 'release', op: op + 1 });
  }
  return events;
}

export const fault = (
  at: number,
  code: string,
  rest: { readonly state?: 'on' | 'off' | 'once'; readonly target?: string; readonly lock?: string } = {},
): HistoryEvent => ({ worker: 'nemesis', at: micros(at), type: 'event', f: 'fault', code, state: 'once', ...rest });

export function force(ask: number, done: number, lock = 'x'): HistoryEvent[] {
  const name = { worker: 'nemesis', f: 'force', op: ask, lock } as const;
  return [
    { ...name, at: micros(ask), type: 'invoke' },
    { ...name, at: micros(done), type: 'ok' },
  ];
}

/** A write through the guard of a worker's first hold. */
export const guarded = (
  worker: string,
  token: number,
  from: number,
  at: number,
  outcome: 'written' | 'stale',
): HistoryEvent => ({
  worker,
  ...{ lock: 'x', hold: 1, scope: 1 },
  at: micros(at),
  ...{ type: 'event', f: 'guarded', token, from: micros(from), outcome },
});

/** A history of levels and other events. */
export function story(levels: readonly LevelPlan[], others: readonly HistoryEvent[] = []): History {
  return historyOf(levels.flatMap(levelEvents), others);
}

/** A call on a latch, from its beginning to its end. */
export function latchCall(
  ask: number,
  done: number,
  call: Pick<LatchInvoke, 'call' | 'count' | 'by'>,
  answer: Pick<LatchEnd, 'left' | 'done'>,
): HistoryEvent[] {
  const name = { worker: 'caller', f: 'latch', op: ask, lock: 'x' } as const;
  return [
    { ...name, at: micros(ask), type: 'invoke', ...call },
    { ...name, at: micros(done), type: 'ok', ...answer },
  ];
}

/** A shared value, computed by or given to a worker. */
export const shared = (worker: string, at: number, how: 'computed' | 'given', value: string): HistoryEvent => ({
  ...{ worker, at: micros(at), type: 'event', f: 'value', lock: 'x', value, how },
});
