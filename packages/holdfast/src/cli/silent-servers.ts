/** Which servers are the trouble. A lock client that has heard nothing cannot say more than that, and in a Cluster not of whom. */

import { LockUnavailableError } from 'holdfast';
import type { Call } from './command-line.js';
import { wordsOf } from './complaint.js';

/** One that hangs takes all of it. */
const WITHIN_MS = 1_000;
/** What a lock client says then. */
const hint = /: is Redis up, .*/s;
/** Node says no brackets of an address of IPv6. */
const bare = (text: string) => text.replaceAll(/[[\]]/g, '');
/** As a cause that is none. */
const noCause = /(?<!takes )connection|no answer/i;

/** The error, with their names where it does not say. */
export async function withSilentServers(call: Call, error: unknown): Promise<unknown> {
  if (!(error instanceof LockUnavailableError)) return error;
  const { message, cause } = error;
  const isKnown = cause instanceof Error && !noCause.test(cause.message);
  // What is known is known of one of its servers.
  if (isKnown && call.site.kind !== 'cluster') return error;
  const named = await troubles(call, isKnown ? 'some' : 'all');
  const unsaid = named.filter(({ node }) => !bare(message).includes(bare(node)));
  if (unsaid.length === 0) return error;
  const list = unsaid.map(({ node, why }) => `${node} (${wordsOf(why)})`).join(', ');
  return new LockUnavailableError(`${message.replace(hint, '')}; look at ${list}`, undefined, { cause });
}

/** `most`: whether it is told also where no server can be asked. */
async function troubles({ site, answerWithinMs }: Call, most: 'some' | 'all') {
  try {
    const { failures, end } = await site.connect(Math.min(answerWithinMs, WITHIN_MS));
    end();
    return failures;
  } catch (why) {
    return most === 'all' ? [{ node: site.address, why }] : [];
  }
}
