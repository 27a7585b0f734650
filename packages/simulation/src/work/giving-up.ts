/** Calls that are given up after a while. */

import type { Desk } from './desk.js';

const GIVEN_UP = new Error('given up');

/** What a call comes to, whose signal aborts after `afterMs`; undefined when that is why it failed. */
export async function givenUpAfter<T>(
  { process }: Desk,
  afterMs: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  void process.sleep(afterMs).then(() => controller.abort(GIVEN_UP));
  try {
    return await call(controller.signal);
  } catch (error) {
    if (error === GIVEN_UP) return undefined;
    throw error;
  }
}
