/** Tells a story to a real server and to others, and says where one parts from it. */

import { comparable, LONGEST_STORY_MS, Words } from './comparing.js';
import { partings, toldOf } from './parting.js';
import { type MemorySide, type Outcome, type RealSide, scriptOf, type Side } from './sides.js';
import type { Step } from './story.js';
import { ticketed, ticketIn } from './tickets.js';

/** What one server made of one step. */
interface Seen {
  /** In words that are the same for both servers: what was answered and published, and what each key holds. */
  readonly words: ReadonlyMap<string, string>;
  readonly outcome: Outcome | undefined;
  /** Its time afterwards, in milliseconds. */
  readonly nowMs: number;
}

/** One server in the course of a story. */
class Teller {
  readonly #side: Side;
  readonly #keys: readonly string[];
  readonly #words = new Words();
  /** A ticket and a token of one moment may be one number: they are told apart. */
  readonly #tokens = new Words();
  readonly #tickets = new Map<string, string>();

  constructor(side: Side, keys: readonly string[]) {
    this.#side = side;
    this.#keys = keys;
  }

  async tell(step: Step): Promise<Seen> {
    const outcome = await this.#do(step);
    const { heard, state, nowMs } = await this.#side.look(this.#keys);
    const isCall = step.kind === 'call';
    const said = outcome && comparable(outcome, isCall ? step.name : undefined, isCall ? step.args : []);
    const isPlace = isCall && outcome !== undefined && tellsPlaces(step.name, outcome);
    // Some of several answers tell places, and others tokens.
    const some = isCall && step.name.endsWith('asks') ? answersOf(outcome) : [];
    const words = new Map<string, string>();
    for (const [at, answer] of some.entries()) {
      words.set(`answer ${at + 1}`, (isWait(answer) ? this.#words : this.#tokens).of(answer, nowMs));
    }
    if (some.length === 0) words.set('answer', (isPlace ? this.#words : this.#tokens).of(said ?? null, nowMs));
    words.set('published', this.#tokens.of(heard, nowMs));
    for (const [at, entry] of state.entries()) {
      const held = isNothing(entry) ? 'none' : (isSortedSet(entry) ? this.#words : this.#tokens).of(entry, nowMs);
      words.set(this.#keys[at] as string, held);
    }
    return { words, outcome, nowMs };
  }

  async #do(step: Step): Promise<Outcome | undefined> {
    switch (step.kind) {
      case 'send':
        return this.#side.send(step.request);
      case 'fault':
        await this.#side.fault(step.fault);
        return undefined;
      case 'expire':
        await this.#side.send(['pexpire', step.key, '0']);
        return undefined;
      case 'call':
        return this.#call(step);
    }
  }

  /** As a client does: in full when the server does not know the script. */
  async #call(step: Step & { kind: 'call' }): Promise<Outcome> {
    const { name, keys, args } = ticketed(step, this.#tickets);
    const { sha, source } = scriptOf(name);
    const rest = [`${keys.length}`, ...keys, ...args];
    let outcome = await this.#side.send(['evalsha', sha, ...rest]);
    if ('refusal' in outcome && outcome.refusal.startsWith('NOSCRIPT')) {
      outcome = { ...(await this.#side.send(['eval', source, ...rest])), inFull: true };
    }
    const ticket = ticketIn(name, outcome);
    if (ticket !== undefined) this.#tickets.set(args[0] as string, ticket);
    return outcome;
  }
}

function tellsPlaces(script: string, outcome: Outcome): boolean {
  if (script.endsWith('inspect')) return true;
  return 'reply' in outcome && isWait(outcome.reply);
}

function isWait(reply: unknown): boolean {
  return Array.isArray(reply) && reply[0] === 'wait';
}

function answersOf(outcome: Outcome | undefined): unknown[] {
  return outcome !== undefined && 'reply' in outcome && Array.isArray(outcome.reply) ? outcome.reply : [];
}

function isNothing(entry: unknown): boolean {
  return Array.isArray(entry) && entry[0] === 'none';
}

function isSortedSet(entry: unknown): boolean {
  return Array.isArray(entry) && entry[0] === 'zset';
}

/** So often they part in a story before that counts. */
const TELLINGS = 10;

/** A real server, and those that should be like it: the first by its rules, a second one with the scripts themselves. */
interface Sides {
  readonly real: RealSide;
  readonly others: () => readonly MemorySide[];
}

/**
 * Says where a server parts from the real one; undefined where none does: in what they answer, say, and hold under `keys`. `seen` collects what was answered.
 *
 * A story in which they part is told again: the real clock goes on between two commands, and now and then a millisecond ends just where it makes a difference, as
 * where a lease is prolonged only if it is shorter. It does not do so every time. `twins.test.ts` tries those edges, with one clock for both.
 */
export function difference(
  story: readonly Step[],
  keys: readonly string[],
  sides: Sides,
  seen = new Set<string>(),
): Promise<string | undefined> {
  return sides.real.alone(async () => {
    let parted: string | undefined;
    for (let told = 0; told < TELLINGS; told++) {
      parted = await tell(story, keys, sides, seen);
      if (parted === undefined) break;
    }
    return parted;
  });
}

async function tell(
  story: readonly Step[],
  keys: readonly string[],
  { real, others: made }: Sides,
  seen: Set<string>,
): Promise<string | undefined> {
  const others = made();
  const beganAtMs = await real.reset();
  const onReal = new Teller(real, keys);
  const tellers = others.map((side) => {
    side.setTime(beganAtMs);
    return new Teller(side, keys);
  });
  try {
    for (const step of story) {
      const expected = await onReal.tell(step);
      if (expected.nowMs - beganAtMs > LONGEST_STORY_MS) return undefined;
      for (const [other, teller] of tellers.entries()) {
        others[other]?.setTime(expected.nowMs);
        const parted = partings(expected.words, (await teller.tell(step)).words);
        if (parted.length > 0) return toldOf(step, other, parted);
      }
      if (step.kind === 'call') for (const kind of kindsOf(expected.outcome)) seen.add(`${step.name} ${kind}`);
    }
  } finally {
    await real.fault(undefined);
  }
  return undefined;
}

function kindsOf(outcome: Outcome | undefined): string[] {
  if (outcome === undefined) return [];
  if ('refusal' in outcome) return [/^[A-Z]+/.exec(outcome.refusal)?.[0] ?? 'ERR'];
  const { reply } = outcome;
  if (!Array.isArray(reply)) return [reply].filter(isText).map(firstWord);
  const [first] = reply;
  // Of several answers, one that is a text names a question of no name behind a space.
  if (isText(first) && !first.includes(' ')) return [first];
  const kinds = reply.slice(0, -1).map((item: unknown) => (Array.isArray(item) ? item[0] : item));
  return kinds.filter(isText).map(firstWord);
}

function isText(item: unknown): item is string {
  return typeof item === 'string';
}

function firstWord(text: string): string {
  return text.split(' ', 1)[0] as string;
}
