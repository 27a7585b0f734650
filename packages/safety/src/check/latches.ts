/** From calls on latches to operations: what the search has to explain. A waiter that was not let go on proves nothing. */
import type { LatchEnd, LatchInvoke } from '../history/event.js';
import type { History } from '../history/read.js';
import type { LatchAction, Operation } from './linear/operation.js';

/** The operations on each latch. */
export function latchOperations(history: History): Map<string, Operation<LatchAction>[]> {
  const ends = new Map<string, LatchEnd>();
  for (const event of history) if (event.f === 'latch' && event.type !== 'invoke') ends.set(idOf(event), event);
  const byLatch = new Map<string, Operation<LatchAction>[]>();
  for (const event of history) {
    if (event.f !== 'latch' || event.type !== 'invoke') continue;
    const end = ends.get(idOf(event));
    const answer = end?.type === 'ok' ? end : undefined;
    const action = actionOf(event, answer);
    if (action === undefined) continue;
    const operation = {
      id: `${idOf(event)} ${inWords(event, answer)}`,
      invokedAt: event.at,
      returnedAt: answer?.at ?? Number.POSITIVE_INFINITY,
      action,
    };
    const present = byLatch.get(event.lock);
    if (present === undefined) byLatch.set(event.lock, [operation]);
    else present.push(operation);
  }
  return byLatch;
}

function actionOf({ call, count = 0, by }: LatchInvoke, answer: LatchEnd | undefined): LatchAction | undefined {
  if (call === 'set') return { kind: 'set', count, begun: answer?.done };
  if (call === 'count') return { kind: 'count', by, left: answer?.left };
  return answer?.done === true ? { kind: 'see' } : undefined;
}

const idOf = ({ worker, op }: LatchInvoke | LatchEnd): string => `${worker} op ${op}`;

function inWords({ call, count, by }: LatchInvoke, answer: LatchEnd | undefined): string {
  const asked = `${call}${count === undefined ? '' : ` ${count}`}${by === undefined ? '' : ` by ${by}`}`;
  return `${asked}, answered ${answer === undefined ? 'unknown' : String(answer.left ?? answer.done)}`;
}
