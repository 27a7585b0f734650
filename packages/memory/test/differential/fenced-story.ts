/** Stories of fenced locks: those of the re-entrant lock, in which most calls mint tokens, and things happen to their counter. */

import * as core from '@holdfast/core';
import * as fc from 'fast-check';
import { KEYS, type Step, stories } from './story.js';

const { tokenCounter } = core.lockKeys('stock');
const minting = new Set(Object.values(core.fencedScripts).map(({ name }) => name));

export const FENCED_KEYS: readonly string[] = [...KEYS, tokenCounter];

const tokens = fc.constantFrom('time', 'time', 'count');

/** Lost, put back, ahead of the clock, Redisson's, something else. */
const counters: fc.Arbitrary<Step> = fc
  .constantFrom(
    ['del', tokenCounter],
    ['set', tokenCounter, '41'],
    ['set', tokenCounter, '1000000000000000', 'PX', '50000'],
    ['set', tokenCounter, '1000000000000000'],
    ['set', tokenCounter, '9000000000000000', 'PX', '50000'],
    ['persist', tokenCounter],
    ['set', tokenCounter, 'seven', 'PX', '60000'],
    ['hset', tokenCounter, 'a', '1'],
  )
  .map((request): Step => ({ kind: 'send', request }));

/** Some calls stay those of the re-entrant lock: both are used on one name. */
const calls = fc.array(fc.tuple(fc.nat(9), tokens, counters), { minLength: 30, maxLength: 30 });

export const fencedStories: fc.Arbitrary<Step[]> = fc.tuple(stories, calls).map(([story, choices]) => {
  let isTrouble = false;
  return story.flatMap((step, index) => {
    const [chance, by, counter] = choices[index % choices.length] as [number, string, Step];
    if (step.kind === 'fault') isTrouble = step.fault !== undefined;
    const told = step.kind === 'call' && chance > 1 && minting.has(`fenced/${step.name}`) ? fenced(step, by) : step;
    return chance === 5 && !isTrouble ? [counter, told] : [told];
  });
});

function fenced(step: Step & { kind: 'call' }, by: string): Step {
  const { name, keys, args } = step;
  return {
    ...step,
    name: `fenced/${name}`,
    keys: [...keys, tokenCounter],
    args: [...args.slice(0, -1), by, ...args.slice(-1)],
  };
}

/** What the stories have to bring about. */
export const FENCED_REPLIES: readonly string[] = [
  ...['acquired', 'mine', 'wait', 'busy', 'WRONGTYPE', 'OOM'].map((kind) => `fenced/ask ${kind}`),
  ...['passed', 'lost'].map((kind) => `fenced/handoff ${kind}`),
  ...['granted', 'released'].map((kind) => `fenced/release ${kind}`),
  ...['fenced/cancel cancelled', 'fenced/force forced', 'fenced/serve served'],
];
