/** Stories of fenced locks: those of the re-entrant lock, in which most calls mint tokens, and things happen to their counter. */

import * as core from '@holdfast/core';
import * as fc from 'fast-check';
import { call, KEYS, QUESTION, send, type Step, stories } from './story.js';

const { tokenCounter } = core.lockKeys('stock');
export const ELECTION_CHANNEL = core.election.electionChannel('stock');
const minting = new Set(Object.values(core.fencedScripts).map(({ name }) => name));

const guarded = core.guardedKeys('data');
export const FENCED_KEYS: readonly string[] = [...KEYS, tokenCounter, guarded.key, guarded.record];

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

/** Writes under tokens that are near each other, some on what is no hash or no string. */
const guards: fc.Arbitrary<Step> = fc
  .record({ token: fc.integer({ min: 1, max: 3 }), n: fc.integer({ min: 1, max: 3 }), which: fc.nat(5) })
  .map(({ which, ...write }): Step => {
    if (which === 4) return { kind: 'send', request: ['del', guarded.key] };
    if (which === 5) return { kind: 'send', request: ['hset', guarded.key, 'fence', 'wooden'] };
    const commands = [
      core.guardHash(guarded, write, { command: 'HSET', args: ['a', write.n] }),
      core.guardHash(guarded, write, { command: 'HDEL', args: ['a', 'b'] }),
      core.guardText(guarded, write, {
        command: 'SET',
        value: 'text',
        ttlMs: [0, 40_000, 90_000_000][write.n - 1] ?? 0,
      }),
      core.guardText(guarded, write, { command: 'DEL' }),
    ];
    const { script, keys, args } = commands[which] as core.Command<unknown>;
    return { kind: 'call', name: script.name, keys, args: [...args.map(String), QUESTION] };
  });

/** There is something to delete, and the record of it may not be written. */
const unrecorded: readonly Step[] = [
  send('del', guarded.key, guarded.record),
  call(core.guardText(guarded, { token: 1, n: 1 }, { command: 'SET', value: 'text', ttlMs: 0 })),
  { kind: 'fault', fault: { code: 'NOPERM', command: 'set' } },
  call(core.guardText(guarded, { token: 2, n: 1 }, { command: 'DEL' })),
  { kind: 'fault', fault: undefined },
];

/** An owner is made where the counter is there, and its time to live may not be asked. */
const unasked: readonly Step[] = [
  send('del', ...KEYS, tokenCounter),
  send('set', tokenCounter, '41'),
  { kind: 'fault', fault: { code: 'NOPERM', command: 'pttl' } },
  fenced(
    call(
      core.ask(core.lockKeys('stock'), {
        ...{ tenure: 'a:1', leaseMs: 40_000, freshMs: 30_000, ticket: 0, freshTtlMs: 50_000 },
        ...{ claimMs: 20_000, trust: true },
      }),
    ),
    'time',
  ),
  { kind: 'fault', fault: undefined },
];

/** Some calls stay those of the re-entrant lock: both are used on one name. */
const calls = fc.array(fc.tuple(fc.nat(9), tokens, counters, guards), { minLength: 30, maxLength: 30 });

export const fencedStories: fc.Arbitrary<Step[]> = fc.tuple(stories, calls).map(([story, choices]) => {
  let isTrouble = false;
  return story.flatMap((step, index) => {
    const [chance, by, counter, guard] = choices[index % choices.length] as [number, string, Step, Step];
    const wasTrouble = isTrouble;
    if (step.kind === 'fault') isTrouble = step.fault !== undefined;
    const told = step.kind === 'call' && chance > 1 && minting.has(`fenced/${step.name}`) ? fenced(step, by) : step;
    if (chance === 2 || chance === 3) return [look(chance === 2 ? 'tell others' : 'only look', index % 2 === 0), told];
    if (chance > 6 && (guard.kind === 'call' || !wasTrouble)) return [guard, told];
    if (chance === 4 && index % 4 === 0 && !wasTrouble) return [...(index % 8 === 0 ? unrecorded : unasked), told];
    return chance === 5 && !wasTrouble ? [counter, told] : [told];
  });
});

/** Who leads, if the lock is an election's. */
function look(say: 'tell others' | 'only look', trust: boolean): Step {
  return call(core.election.look({ lock: KEYS[0] ?? '', channel: ELECTION_CHANNEL }, { say, trust }));
}

export function fenced(step: Step & { kind: 'call' }, by: string): Step {
  const { name, keys, args } = step;
  const locks = name === 'reasks' ? keys.length / 4 : 1;
  return {
    ...step,
    name: `fenced/${name}`,
    keys: eachWith(keys, locks, tokenCounter),
    args: [...eachWith(args.slice(0, -1), locks, by), ...args.slice(-1)],
  };
}

/** So many equal parts of `items`, each with one more item. */
function eachWith(items: readonly string[], parts: number, more: string): string[] {
  const size = items.length / parts;
  return Array.from({ length: parts }, (_, part) => [...items.slice(part * size, (part + 1) * size), more]).flat();
}

/** What the stories have to bring about. */
export const FENCED_REPLIES: readonly string[] = [
  ...['acquired', 'mine', 'wait', 'busy', 'WRONGTYPE', 'OOM'].map((kind) => `fenced/ask ${kind}`),
  ...['mine', 'wait', 'busy'].map((kind) => `fenced/reasks ${kind}`),
  ...['passed', 'lost'].map((kind) => `fenced/handoff ${kind}`),
  ...['granted', 'released'].map((kind) => `fenced/release ${kind}`),
  ...['NOTALOCK'].map((kind) => `election/leader ${kind}`),
  ...['written', 'stale', 'NOTAFENCE', 'WRONGTYPE'].map((kind) => `guard/hash ${kind}`),
  ...['written', 'stale', 'WRONGTYPE'].map((kind) => `guard/text ${kind}`),
  ...['fenced/cancel cancelled', 'fenced/force forced', 'fenced/serve served'],
];
