/**
 * Where a call was made.
 *
 * Listeners of a hold (on its signal, to an event, of a diagnostics channel) run where its call was made, and not where the news is found.
 * That is the place of some other flow: what a listener locks there would re-enter what that flow holds, and what it traces would be put to that
 * flow's account.
 *
 * The scope of a call is always noted, for it is a pointer. The rest of its async context, which is what tracers and loggers go by, is noted
 * when there is a listener: that takes 0.1 µs and an object, and keeps alive what is in it.
 */

import { AsyncResource } from 'node:async_hooks';
import { type Scope, within } from './scope.js';

/** The scope around a call, if any; or all of its async context. */
export type CallContext = AsyncResource | Scope | undefined;

/** All of the caller's. */
export function allHere(): CallContext {
  // Async hooks are told of its end when it is garbage: it is not known when the last listener was told of the call.
  return new AsyncResource('HoldfastCall');
}

/** What was noted, and the rest from the caller. */
export function completed(context: CallContext): CallContext {
  return context instanceof AsyncResource ? context : runIn(context, allHere);
}

/** Runs `fn` where a call was made. */
export function runIn<T>(context: CallContext, fn: () => T): T {
  return context instanceof AsyncResource ? context.runInAsyncScope(fn) : within(context, fn);
}
