/**
 * What two servers have said and done, in words that are the same for both: times as distances from now, durations rounded up to what was set,
 * tickets by their order of appearance, refusals without what only Redis adds.
 */

import type { Outcome } from './sides.js';
import { FAR_OFF_MS } from './story.js';

/** Every duration of a story is a multiple of this. */
const GRAIN_MS = 10_000;
/** The server in memory never tells one microsecond twice: several readings in one command may reach into the next millisecond. */
const CLOCK_GRAIN_MS = 1;
/** Up to here numbers are counts and positions. */
const LARGEST_COUNT = 999;
/** A story that has lasted longer, on a machine that does other things, is told no further: what is left of a duration would be taken for a count. */
export const LONGEST_STORY_MS = GRAIN_MS - LARGEST_COUNT - CLOCK_GRAIN_MS;
const MILLISECONDS = 13;
const MICROSECONDS = 16;
const SPOILED_FROM = Number.MAX_SAFE_INTEGER - 64;

/** One server's words; it remembers the tickets that the server gave. */
export class Words {
  readonly #tickets = new Map<string, number>();

  /** Everything as one text; `nowMs` is the server's time. */
  of(found: unknown, nowMs: number): string {
    return JSON.stringify(found, unspoiled).replaceAll(/-?\d+(?:\.\d+)?/g, (digits) => this.#number(digits, nowMs));
  }

  #number(digits: string, nowMs: number): string {
    const value = Number(digits);
    if (value <= LARGEST_COUNT) return digits;
    if (value === FAR_OFF_MS) return digits;
    if (digits.length === MILLISECONDS)
      return `now+${Math.ceil((value - nowMs - CLOCK_GRAIN_MS) / GRAIN_MS) * GRAIN_MS}`;
    if (digits.length < MICROSECONDS) return `${Math.ceil(value / GRAIN_MS) * GRAIN_MS}`;
    const known = this.#tickets.get(digits) ?? this.#tickets.size + 1;
    this.#tickets.set(digits, known);
    return `ticket ${known}`;
  }
}

/** The client reads integers next to 2^53 as others. */
function unspoiled(_key: string, value: unknown): unknown {
  return typeof value === 'number' && value > SPOILED_FROM ? 'about 2^53' : value;
}

/** An outcome without what belongs to one implementation. */
export function comparable(outcome: Outcome, script: string | undefined, args: readonly string[]): unknown {
  const { inFull } = outcome;
  if ('refusal' in outcome) return { inFull, refusal: refusalOf(outcome.refusal) };
  const { reply } = outcome;
  if (!script?.endsWith('renew') || !Array.isArray(reply)) return { inFull, reply };
  return {
    inFull,
    reply: reply.map((item: unknown, at) => (Array.isArray(item) ? renewed(item, args[2 * at - 1]) : item)),
  };
}

/** A lease that was set a moment ago to what is asked for now is long enough only in the same millisecond: that passes for renewed. */
function renewed([kind, detail]: readonly unknown[], wanted: string | undefined): unknown {
  if (kind === 'refused') return [kind, refusalOf(String(detail))];
  const remaining = Math.ceil(Number(detail) / GRAIN_MS) * GRAIN_MS;
  return kind === 'held' && remaining > 0 && remaining === Number(wanted) ? ['renewed', detail] : [kind, detail];
}

function refusalOf(message: string): string {
  if (/permission|can't run this command/.test(message)) return 'NOPERM';
  const ours = /holdfast: .*?(?= script: |$)/.exec(message)?.[0];
  return ours ?? (/^[A-Z]+/.exec(message)?.[0] as string);
}
