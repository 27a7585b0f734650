/**
 * Errors that show their caller. Most are made by a timer or by an answer, where the caller is not on the stack any more; only what failed
 * pays for finding it.
 *
 * Where the site of a call was noted, that is it. Else V8 is asked who awaits the call: it knows that in a reaction to its promise, and inside an
 * async function when that is resumed. A caller that awaits nothing is not found, and the stack stays as it is. So it does where the process
 * makes stacks of its own that are no text. See docs/adr/0019.
 */

import { LockError } from '../errors.js';
import { type Entry, type Site, stackOf } from './site.js';
import { isThrown } from './thrown.js';

/** One error may reach several calls, and a nested one those around it: it shows the first. */
const done = new WeakSet<LockError>();

/** The error with the frames of the site, if there is one. */
export function atSite(error: unknown, site: Site | undefined): unknown {
  if (site !== undefined) show(error, framesOf(site.text));
  return error;
}

/** The same outcome; what it is rejected with shows who awaits this. */
export function shown<T>(outcome: Promise<T>): Promise<T> {
  return outcome.then(undefined, atAwaiting);
}

/** Rethrows; to be called in an async function, behind an `await`. */
export function atCaller(error: unknown): never {
  // The first is the function that was resumed, which is ours. Not told by `async`: some formats of stacks leave that out.
  showAwaiting(error, atCaller, 1);
  throw error;
}

/** Rethrows; a reaction to a promise. */
function atAwaiting(error: unknown): never {
  showAwaiting(error, atAwaiting, 0);
  throw error;
}

/** @param below - the function that calls this, and goes on behind it: see `inFrame`. @param ours - how many frames of ours come first. */
function showAwaiting(error: unknown, below: Entry, ours: number): void {
  if (!isThrown(error, LockError) || done.has(error)) return;
  const here = { stack: '' };
  Error.captureStackTrace(here, below);
  show(error, framesOf(stackOf(here)).slice(ours));
}

function framesOf(stack = ''): string[] {
  return stack.split('\n').filter((line) => /^\s+at (?!.*node:internal)/.test(line));
}

function show(error: unknown, frames: readonly string[]): void {
  if (!isThrown(error, LockError) || done.has(error) || frames.length === 0) return;
  done.add(error);
  Object.defineProperty(error, 'stack', {
    value: [`${error.name}: ${error.message}`, ...frames].join('\n'),
    writable: true,
    configurable: true,
  });
}
