/** Calls that are given up after a while. */

import { getEventListeners } from 'node:events';
import type { Desk } from './desk.js';

const GIVEN_UP = new Error('given up');

/** What a call comes to, whose signal aborts after `afterMs`; undefined when that is why it failed. */
export async function givenUpAfter<T>(
  desk: Desk,
  afterMs: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  void desk.process.sleep(afterMs).then(() => controller.abort(GIVEN_UP));
  try {
    return await call(controller.signal);
  } catch (error) {
    if (error === GIVEN_UP) return undefined;
    throw error;
  } finally {
    desk.witness.listening(desk, getEventListeners(controller.signal, 'abort').length);
  }
}
