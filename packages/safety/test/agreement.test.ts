/** The checkers against each other, and against one that is too simple to be wrong. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proofRuns } from '@holdfast/testkit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { overlaps, seizuresOf } from '../src/check/exclusion.js';
import { faultClasses } from '../src/check/fault-classes.js';
import { levelsOf } from '../src/check/levels.js';
import { type Model, fenced, mutex, reentrant } from '../src/check/linear/models.js';
import { latch } from '../src/check/linear/latch.js';
import type { AnyAction, Operation } from '../src/check/linear/operation.js';
import { operationsOf } from '../src/check/linear/operations.js';
import { readWrite } from '../src/check/linear/read-write.js';
import { search } from '../src/check/linear/search.js';
import { checkLinearizability } from '../src/check/linearizability.js';
import { callReferee } from '../src/check/referee.js';
import type { HistoryEvent } from '../src/history/event.js';
import { hasOrder } from './support/brute-force.js';
import { goodFamilyStories } from './support/family-stories.js';
import { eventsOf, type RandomHistory, randomHistory, randomLatchCalls } from './support/random-histories.js';

const faultClass = faultClasses['force-unlock'];

const verdicts = (history: ReturnType<typeof eventsOf>, unknown: 'keep' | 'leave-out'): boolean =>
  checkLinearizability(history, { faultClass, unknown }).violations.length === 0;

function overlap(history: ReturnType<typeof eventsOf>): boolean {
  const levels = [...levelsOf(history).values()].flat();
  const options = { exclusion: { kind: 'always' }, seizures: [], watchdogLeaseMs: 30_000 } as const;
  return overlaps(levels, options).next().done !== true;
}

/** The same, by as many owners as there are levels. */
const strangers = ({ levels, shared, fenced: withTokens }: RandomHistory): RandomHistory => ({
  levels: levels.map((level, index) => ({ ...level, depth: 1, owner: index })),
  fenced: withTokens,
  shared,
  forcedAt: undefined,
});

describe('the linearizability checker', () => {
  const runs = proofRuns({ quick: 1_000, long: 300_000 });

  const agrees = <S, A extends AnyAction>(model: Model<S, A>, histories: fc.Arbitrary<Operation<A>[]>): void => {
    let explained = 0;
    const property = fc.property(histories, (operations) => {
      const answer = search(model, operations);
      if (answer.kind === 'linearizable') explained += 1;
      expect(answer.kind).toBe(hasOrder(model, operations) ? 'linearizable' : 'not-linearizable');
    });
    fc.assert(property, runs.parameters);
    // Histories of one kind only would prove nothing.
    expect(explained / runs.parameters.numRuns).toBeGreaterThan(0.1);
    expect(explained / runs.parameters.numRuns).toBeLessThan(0.9);
  };

  const operationsOfLock = randomHistory(4).map((random) => {
    const history = eventsOf(random);
    const levels = [...levelsOf(history).values()].flat();
    return operationsOf(levels, seizuresOf(history, []), { unknown: 'keep' });
  });

  it.each([mutex, reentrant, fenced, readWrite] as Model<unknown>[])(
    'agrees with trying every order, for the $name model',
    (model) => agrees(model, operationsOfLock),
    runs.timeoutMs,
  );

  it('agrees with trying every order, for the latch model', () => agrees(latch, randomLatchCalls(6)), runs.timeoutMs);

  it(
    'says the same whether acquisitions of unknown fate are left out or not',
    () => {
      fc.assert(
        fc.property(randomHistory(6), (random) => {
          const history = eventsOf(random);
          expect(verdicts(history, 'keep')).toBe(verdicts(history, 'leave-out'));
        }),
        runs.parameters,
      );
    },
    runs.timeoutMs,
  );

  it(
    'finds no order where the interval checker finds that two owners overlap',
    () => {
      fc.assert(
        fc.property(randomHistory(6), (random) => {
          const history = eventsOf(strangers(random));
          fc.pre(overlap(history));
          expect(verdicts(history, 'keep')).toBe(false);
        }),
        { ...runs.parameters, maxSkipsPerRun: 1_000 },
      );
    },
    runs.timeoutMs,
  );

  it(
    'is the same as the interval checker where every acquisition and release was answered with success',
    () => {
      fc.assert(
        fc.property(randomHistory(3), (random) => {
          const { levels, shared } = strangers(random);
          const succeeding = levels.map((level) => ({ ...level, answer: 'ok', end: 'released' }) as const);
          const history = eventsOf({ levels: succeeding, fenced: false, shared, forcedAt: undefined });
          expect(verdicts(history, 'keep')).toBe(!overlap(history));
        }),
        runs.parameters,
      );
    },
    runs.timeoutMs,
  );
});

/** What Porcupine says of a history; undefined where it cannot be asked. */
async function askPorcupine(called: CalledReferee, history: readonly HistoryEvent[]) {
  if (called.kind === 'absent') {
    process.stderr.write(`[porcupine] not asked: ${called.why}\n`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-referee-'));
  try {
    const file = join(folder, 'history.jsonl');
    writeFileSync(file, history.map((event) => `${JSON.stringify(event)}\n`).join(''));
    return await called.referee.judge([file], faultClass);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type CalledReferee = Awaited<ReturnType<typeof callReferee>>;

describe('Porcupine', () => {
  const runs = proofRuns({ quick: 1_500, long: 100_000 });
  let called: CalledReferee;
  // The first time on a machine Go compiles it, and all that it imports.
  beforeAll(async () => {
    called = await callReferee(fileURLToPath(new URL('..', import.meta.url)));
  }, 300_000);

  it(
    'agrees with the linearizability checker on random histories',
    async () => {
      const { numRuns, seed } = runs.parameters;
      const histories = fc
        .sample(randomHistory(7), { numRuns, seed })
        .map((random, index) => eventsOf(random, `-${index}`));
      const verdict = await askPorcupine(called, histories.flat());
      if (verdict === undefined) return;
      const ours = histories.flatMap((history, index) => (verdicts(history, 'leave-out') ? [] : [`x-${index}`]));
      expect(verdict.undecided).toEqual([]);
      expect(verdict.locks).toBeGreaterThan(numRuns / 2);
      expect(verdict.illegal).toEqual([...ours].sort());
      expect(ours.length).toBeGreaterThan(numRuns / 10);
      expect(ours.length).toBeLessThan((numRuns * 9) / 10);
    },
    runs.timeoutMs,
  );

  it(
    'calls no sound history illegal, also of locks that several may have at once',
    async () => {
      for (const [name, { history }] of Object.entries(goodFamilyStories)) {
        const verdict = await askPorcupine(called, history);
        if (verdict !== undefined) expect({ name, ...verdict }).toMatchObject({ name, illegal: [], undecided: [] });
      }
    },
    runs.timeoutMs,
  );
});
