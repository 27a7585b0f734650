/** Matchers for Jest and Vitest: `expect.extend(holdfastMatchers)`. */

import type { Hold, RLock } from 'holdfast';

/** What a matcher answers. */
export interface MatcherResult {
  /** Whether it is as expected. */
  readonly pass: boolean;
  /** What the runner prints when the expectation fails. */
  readonly message: () => string;
}

/** The matchers as methods of `expect(…)`, for the declaration that tells TypeScript of them; `docs/testing.md` has it for each runner. */
export interface HoldfastMatchers<R = unknown> {
  /**
   * Of a lock: a process holds it, as the server says. Of a hold: it is held. Await it.
   */
  toBeHeld(): Promise<R>;
  /** Of a lock: nobody holds it. Of a hold: it was released or lost. Await it. */
  toBeFree(): Promise<R>;
}

/** See {@link HoldfastMatchers}. */
export const holdfastMatchers = {
  /** See {@link HoldfastMatchers.toBeHeld}. */
  async toBeHeld(received: unknown): Promise<MatcherResult> {
    const { held, what } = await look('toBeHeld', received);
    return { pass: held, message: () => `${what} ${held ? 'is held' : 'is free'}` };
  },
  /** See {@link HoldfastMatchers.toBeFree}. */
  async toBeFree(received: unknown): Promise<MatcherResult> {
    const { held, what } = await look('toBeFree', received);
    return { pass: !held, message: () => `${what} ${held ? 'is held' : 'is free'}` };
  },
};

async function look(matcher: string, received: unknown): Promise<{ held: boolean; what: string }> {
  if (isHold(received)) {
    const { state } = received;
    return { held: state === 'held' || state === 'suspect', what: `the hold of "${received.name}" (${state})` };
  }
  if (!isLock(received)) throw new TypeError(`${matcher}: a lock or a hold was expected`);
  return { held: await received.isLocked(), what: `the lock "${received.name}"` };
}

const has = (value: unknown, member: string): boolean => typeof value === 'object' && value !== null && member in value;

function isHold(value: unknown): value is Hold {
  return has(value, 'assertHeld') && has(value, 'state');
}

function isLock(value: unknown): value is RLock {
  return has(value, 'isLocked');
}
