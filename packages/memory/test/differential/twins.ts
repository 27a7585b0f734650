/**
 * Tells a story to two servers in memory, one with the rules and one with the Lua of the scripts. Their clock is one, so all must be the same to the microsecond, and
 * nothing takes time. So before each call of a script is tried what a real server can be shown a few times only, from the state that there is: each
 * command that the script calls is refused, and the clock stands where something ends, or has as long to go as the call says.
 */

import type { Trouble } from '../../src/server/trouble.js';
import { comparable } from './comparing.js';
import { partings, toldOf } from './parting.js';
import { type MemorySide, type Outcome, scriptOf } from './sides.js';
import { FAR_OFF_MS, type Step } from './story.js';
import { ticketIn, ticketed } from './tickets.js';

/** See the module comment. */
export interface Twins {
  readonly rules: MemorySide;
  readonly lua: MemorySide;
}

type Call = Step & { readonly kind: 'call' };

/** Under which a call is tried. */
interface Circumstance {
  readonly trouble?: Trouble;
  readonly atMs: number;
}

const BEGAN_AT_MS = 1_790_000_000_000;
/** In every second story what is far off is as near as this. */
const NEAR_MS = 20_000;
/** Durations are longer than any count of a story. */
const SHORTEST_MS = 1_000;
/** Of all the moments that come from one source. */
const MOMENTS_TRIED = 3;

/** Says where the two part; undefined where they do not. `chances`: what decides by how much the clock goes on, and at which moments calls are tried. */
export async function parted(
  story: readonly Step[],
  keys: readonly string[],
  chances: readonly number[],
  { rules, lua }: Twins,
): Promise<string | undefined> {
  const both = [lua, rules];
  const tickets = new Map<string, string>();
  const isNear = (chances[0] ?? 0) % 2 === 0;
  let nowMs = BEGAN_AT_MS;

  const difference = async (step: Step) => {
    const outcomes = [await run(lua, step), await run(rules, step)] as const;
    const [expected, told] = [await seen(lua, keys, outcomes[0]), await seen(rules, keys, outcomes[1])];
    return { outcome: outcomes[0], parting: partings(expected, told) };
  };
  const tried = async (step: Call, { trouble, atMs }: Circumstance) => {
    for (const side of both) side.setTime(atMs);
    const ends = both.map((side) => side.aside(trouble));
    const { parting } = await difference(step);
    for (const end of ends) end();
    for (const side of both) side.setTime(nowMs);
    return parting;
  };

  for (const [index, told] of story.entries()) {
    const chance = chances[index % chances.length] ?? 0;
    nowMs += chance % 4 === 0 ? 7_001 : 1;
    for (const side of both) side.setTime(nowMs);
    const step = isNear ? nearer(ticketed(told, tickets), nowMs) : ticketed(told, tickets);
    const circumstances = step.kind === 'call' ? await circumstancesOf(step, lua, nowMs, chance >> 2) : [];
    for (const circumstance of circumstances) {
      const parting = await tried(step as Call, circumstance);
      if (parting.length > 0) return `${toldOf(step, 0, parting)}\n  under ${JSON.stringify(circumstance)}`;
    }
    const { outcome, parting } = await difference(step);
    if (parting.length > 0) return toldOf(step, 0, parting);
    const ticket = step.kind === 'call' ? ticketIn(step.name, outcome) : undefined;
    if (step.kind === 'call' && ticket !== undefined) tickets.set(step.args[0] as string, ticket);
  }
  return undefined;
}

/** Each refusal that the script can meet as things stand, and some of the moments that make a difference to it. */
async function circumstancesOf(step: Call, side: MemorySide, nowMs: number, chance: number): Promise<Circumstance[]> {
  const commands = await side.called(() => run(side, step));
  const troubles: Trouble[] = [
    { code: 'OOM' },
    { code: 'READONLY' },
    ...commands.map((command): Trouble => ({ code: 'NOPERM', commands: [command] })),
  ];
  const durations = step.args.map(Number).filter((ms) => ms >= SHORTEST_MS && ms < FAR_OFF_MS);
  const ends = side.moments();
  const moments = [
    ...drawn(around(ends, nowMs), chance),
    ...drawn(
      around(
        ends.flatMap((endMs) => durations.map((ms) => endMs - ms)),
        nowMs,
      ),
      chance,
    ),
  ];
  return [...troubles.map((trouble) => ({ trouble, atMs: nowMs })), ...moments.map((atMs) => ({ atMs }))];
}

/** These moments to come, and those beside them. */
function around(momentsMs: readonly number[], nowMs: number): number[] {
  const coming = [...new Set(momentsMs)].filter((atMs) => atMs > nowMs + 1 && atMs < FAR_OFF_MS);
  return coming.flatMap((atMs) => [atMs - 1, atMs, atMs + 1]);
}

/** A few of them, from anywhere. */
function drawn(moments: readonly number[], chance: number): number[] {
  const first = chance % Math.max(1, moments.length);
  return [...moments.slice(first), ...moments.slice(0, first)].slice(0, MOMENTS_TRIED);
}

async function seen(
  side: MemorySide,
  keys: readonly string[],
  outcome: Outcome | undefined,
): Promise<ReadonlyMap<string, string>> {
  const { heard, state } = await side.look(keys);
  const answer = JSON.stringify(outcome && comparable(outcome, undefined, [])) ?? '';
  return new Map([
    ['answer', answer],
    ['published', JSON.stringify(heard)],
    ...state.map((entry, at) => [keys[at] as string, JSON.stringify(entry)] as const),
  ]);
}

function nearer(step: Step, nowMs: number): Step {
  const near = (text: string) => text.replaceAll(`${FAR_OFF_MS}`, `${nowMs + NEAR_MS}`);
  return step.kind === 'send' ? { ...step, request: step.request.map(near) } : step;
}

async function run(side: MemorySide, step: Step): Promise<Outcome | undefined> {
  switch (step.kind) {
    case 'send':
      return side.send(step.request);
    case 'fault':
      await side.fault(step.fault);
      return undefined;
    case 'expire':
      return side.send(['pexpire', step.key, '0']);
    case 'call':
      return side.send(['eval', scriptOf(step.name).source, `${step.keys.length}`, ...step.keys, ...step.args]);
  }
}
