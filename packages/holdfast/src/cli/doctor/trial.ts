/** How a right is looked for: what is sent, what a refusal says, and how what is missing is told. */

import type { Redis } from 'ioredis';
import type { Finding } from './finding.js';

/** A right, and a call that is refused without it. */
export type Trial = readonly [right: string, command: string, ...args: string[]];

/**
 * For all that begins as this does before the name, and nothing else; a right to a command stays as it is. A sign that means something in a pattern stands
 * in brackets, since a backslash gets lost on the way where a shell reads it.
 */
export function patternUpTo(name: string, right: string): string {
  const at = right.indexOf(name);
  if (at < 0) return right;
  return `${right.slice(0, at).replaceAll(/[*?[]/g, '[$&]').replaceAll('\\', String.raw`[\\]`)}*`;
}

/** Those that none of the others has in it: behind `~*` Redis takes no other pattern. */
export function widest(patterns: readonly string[]): string[] {
  return patterns.filter((each) => !patterns.some((other) => other !== each && each.startsWith(other.slice(0, -1))));
}

/** What was refused: a command, or the key or channel that it names; or the server has no such command, as `rename-command` can make it. */
export type Refusal = 'command' | 'argument' | 'absent';

export function refusalIn(error: unknown): Refusal | undefined {
  const text = error instanceof Error ? error.message : '';
  if (/^ERR unknown command/i.test(text)) return 'absent';
  if (!text.startsWith('NOPERM')) return undefined;
  return /to access .*\b(?:keys?|channels?)\b/.test(text) ? 'argument' : 'command';
}

/** The rights whose calls are refused for that. */
export async function missingOf(redis: Redis, what: Refusal, trials: readonly Trial[]): Promise<string[]> {
  const missing: string[] = [];
  for (const [right, command, ...args] of trials) {
    const error: unknown = await redis.call(command, ...args).catch((reason: unknown) => reason);
    const refusal = refusalIn(error);
    if (refusal === what) missing.push(right);
    else if (refusal === 'absent' && what === 'command') missing.push(command);
  }
  return missing;
}

/** As the server sees it, which refuses such a pattern. */
const hasWhiteSpace = /[\t-\r ]/;
const NEVER_GRANTED = 'Redis takes no pattern with white space, so this prefix cannot be granted: choose another one';

/** @param cost - what comes of it, where the name of the check does not say so. */
export function verdict(check: string, missing: readonly string[], otherwise: 'bad' | 'warn', cost?: string): Finding {
  if (missing.length === 0) return { check, status: 'ok', detail: 'all rights are there' };
  const rights = missing.filter((each) => /^[+~&]/.test(each));
  const absent = missing.filter((each) => !rights.includes(each));
  const grantable = rights.filter((each) => !hasWhiteSpace.test(each));
  const parts = [
    ...(cost === undefined ? [] : [cost]),
    ...(grantable.length > 0 ? [`missing: ${grantable.join(' ')}`] : []),
    ...(grantable.length < rights.length ? [NEVER_GRANTED] : []),
    ...(absent.length > 0 ? [`the server does not know ${absent.join(', ')}: look for rename-command`] : []),
  ];
  return { check, status: otherwise, detail: parts.join('; '), missing: [...grantable, ...absent] };
}
