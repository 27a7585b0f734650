/**
 * Rule `latch-early`: a latch opens only when as many calls as its round takes have counted it down.
 *
 * Whoever goes on, begins the next round or is told that nothing is left has seen it open. Since the last round had certainly begun before such a call, as
 * many calls must have been made that may have counted: each of them once, and who says who it is once at all. Where a process was killed meanwhile its last calls may be
 * missing from the history, and nothing is judged.
 */
import type { LatchEnd, LatchInvoke } from '../history/event.js';
import type { History } from '../history/read.js';
import type { Finding } from './findings.js';

interface Call {
  readonly id: string;
  readonly invoke: LatchInvoke;
  end: LatchEnd | undefined;
}

export function* openedEarly(history: History): Generator<Finding> {
  const kills = history.flatMap((event) => (event.f === 'fault' && event.code === 'sigkill' ? [event.at] : []));
  for (const calls of callsOf(history).values()) {
    const rounds = calls
      .filter(({ invoke, end }) => invoke.call === 'set' && end?.done === true)
      .sort((a, b) => endOf(a) - endOf(b));
    for (const witness of calls.filter(sawOpen)) {
      const round = rounds.findLast((one) => one !== witness && endOf(one) <= witness.invoke.at);
      if (round === undefined) continue;
      const [from, to] = [round.invoke.at, endOf(witness)];
      if (kills.some((at) => from <= at && at <= to)) continue;
      const counted = mayHaveCounted(calls, from, to);
      const { count = 0 } = round.invoke;
      if (counted >= count) continue;
      yield {
        rule: 'latch-early',
        at: to,
        lock: round.invoke.lock,
        between: [round.id, witness.id],
        text: `${witness.id} saw it open after ${counted} of ${count} calls of the round that ${round.id} began`,
      };
    }
  }
}

const endOf = ({ end }: Call): number => end?.at ?? Number.POSITIVE_INFINITY;

const sawOpen = ({ end }: Call): boolean => end?.done === true || end?.left === 0;

/** How many counts there may have been at most between two times. */
function mayHaveCounted(calls: readonly Call[], from: number, to: number): number {
  const named = new Set<string>();
  let unnamed = 0;
  for (const call of calls) {
    const { invoke } = call;
    if (invoke.call !== 'count' || invoke.at > to || endOf(call) < from) continue;
    if (invoke.by === undefined) unnamed += 1;
    else named.add(invoke.by);
  }
  return unnamed + named.size;
}

/** The calls on each latch. */
function callsOf(history: History): Map<string, Call[]> {
  const byLatch = new Map<string, Call[]>();
  const open = new Map<string, Call>();
  for (const event of history) {
    if (event.f !== 'latch') continue;
    const id = `${event.worker} op ${event.op}`;
    if (event.type !== 'invoke') {
      const call = open.get(id);
      if (call !== undefined) call.end = event;
      continue;
    }
    const call: Call = { id, invoke: event, end: undefined };
    open.set(id, call);
    const calls = byLatch.get(event.lock);
    if (calls === undefined) byLatch.set(event.lock, [call]);
    else calls.push(call);
  }
  return byLatch;
}
