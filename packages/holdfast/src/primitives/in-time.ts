import { Wait } from '@holdfast/notify';
import type { LockParts } from '../client-parts.js';
import { whenRead } from '../connection/reading.js';
import type { Scope } from '../scopes/scope.js';
import { type AwaitedThing, judgeOverdue } from '../waiting/time-over.js';
import { scopeEnded } from '../waiting/waiter.js';

/** The call of which a step is to be done in time. */
export interface CallInTime {
  readonly joinedAt: number;
  /** Clock time of its deadline; infinite for one that has none. */
  readonly until: number;
  /** When it is first judged, if not at its deadline. */
  readonly firstLimit?: number;
  readonly singleAttempt?: boolean;
  readonly signal: AbortSignal | undefined;
  /** That of the call, if its end is to end it. */
  readonly scope?: Scope | undefined;
}

type Parts = Pick<LockParts, 'clock' | 'topology' | 'settings' | 'waits' | 'aborts' | 'nextTurn'>;
type Awaited = Omit<AwaitedThing, 'about'>;

/**
 * What `step` of a call for `about` comes to; `unanswered` when the time of the call is over before. The step itself goes on. `awaited`: what is known of it
 * then.
 *
 * @throws LockUnavailableError when it is over and Redis is silent, the reason of the signal, LockScopeError when the scope ends, what the step rejects with.
 */
export function inTime<T>(
  parts: Parts,
  about: AwaitedThing['about'],
  { joinedAt, until, firstLimit, singleAttempt, signal, scope }: CallInTime,
  step: Promise<T>,
  awaited: () => Awaited = () => ({ asking: { trouble: parts.topology.troubleWith(about.key) } }),
): Promise<T | 'unanswered'> {
  const { waits, aborts, nextTurn } = parts;
  const call = {
    joinedAt,
    until,
    singleAttempt,
    expireAt: (time: number) => wait.expireAt(time),
    refuse: (error: unknown) => wait.reject(error),
    turnAway: () => wait.resolve('unanswered'),
    name: about.name,
    primitive: about.primitive,
    imperative: false,
    cancel: () => wait.reject(scopeEnded(about)),
  };
  const judge = () => judgeOverdue(call, { about, ...awaited() }, parts);
  const onExpire = () => whenRead(nextTurn, judge);
  const wait = new Wait<T | 'unanswered'>({
    timers: waits,
    expiresAt: firstLimit ?? until,
    aborts,
    signal,
    handler: { onExpire },
  });
  step.then(
    (outcome) => wait.resolve(outcome),
    (error: unknown) => wait.reject(error),
  );
  if (scope?.ended) call.cancel();
  else if (scope !== undefined) {
    const settled = () => scope.settled(call);
    scope.awaiting(call);
    wait.promise.then(settled, settled);
  }
  return wait.promise;
}
