/** Which servers do not answer. A lock client that has heard nothing cannot say more than that, and in a Cluster not of whom. */

import { LockUnavailableError } from 'holdfast';
import type { Call } from './command-line.js';
import { wordsOf } from './complaint.js';

/** One that hangs takes all of it. */
const WITHIN_MS = 1_000;
/** What a lock client says then. */
const hint = /: is Redis up, .*/s;
/** As a cause that is none. */
const noCause = /connection|no answer/i;

/** The error, with their names where it says nothing of its cause. */
export async function withSilentServers(call: Call, error: unknown): Promise<unknown> {
  if (!(error instanceof LockUnavailableError)) return error;
  const { message, cause } = error;
  if (cause instanceof Error && !noCause.test(cause.message)) return error;
  const silent = await silentServers(call);
  if (silent === '') return error;
  return new LockUnavailableError(`${message.replace(hint, '')}; no answer from ${silent}`, undefined, { cause });
}

async function silentServers({ site, answerWithinMs }: Call): Promise<string> {
  try {
    const { failures, end } = await site.connect(Math.min(answerWithinMs, WITHIN_MS));
    end();
    return failures.map(({ node, why }) => `${node} (${wordsOf(why)})`).join(', ');
  } catch (why) {
    return `${site.address} (${wordsOf(why)})`;
  }
}
