import { describe, expect, it } from '@jest/globals';
// @ts-expect-error plain JavaScript, like all of scripts/
import { judge, searchOf, table } from '../../../scripts/spec/verdict.mjs';
// @ts-expect-error plain JavaScript
import { variants } from '../../../spec/variants.mjs';

const printed = (errors: number, states: string, more = '') =>
  `${more}
(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
State-vector 372 byte, depth reached 42, errors: ${errors}
     ${states} states, stored
`;
const complete = printed(0, '6627');
const broken = (violation: string) => printed(1, '44', `pan:1: ${violation} (at depth 41)\npan: wrote x.pml.trail\n`);
const passing = { name: 'a', model: 'm', set: '', because: '', states: 10_000 };
const failing = { ...passing, fails: 'ghost' };

describe('what the verifier printed', () => {
  it('is a complete search only without any sign of a limit', () => {
    expect(searchOf(complete)).toEqual({ kind: 'complete', states: 6627 });
    for (const sign of ['error: max search depth too small', 'pan: reached -DMEMLIM bound', 'pan: out of memory'])
      expect(searchOf(`${sign}\n${complete}`)).toMatchObject({ kind: 'incomplete' });
    expect(searchOf(printed(0, '6627', 'Interrupted'))).toMatchObject({ kind: 'incomplete' });
  });

  it('is incomplete when the verifier was ended or never began', () => {
    expect(searchOf('')).toMatchObject({ kind: 'incomplete', why: 'no result' });
    expect(searchOf(printed(0, '0'))).toMatchObject({ kind: 'incomplete' });
  });

  it.each([
    ['assertion violated (( !(alive[((owner-1)/1)])||(tenure[((owner-1)/1)]==owner))||ghost)', 'ghost'],
    ['assertion violated lost_wake_up', 'lost_wake_up'],
    ['assertion violated ((y<=1)||two_believers)', 'two_believers'],
    ['invalid end state', 'invalid end state (at depth 41)'],
  ])('names what is violated: %s', (line, violation) => {
    expect(searchOf(broken(line))).toEqual({ kind: 'violation', states: 44, violation });
  });

  it('counts states beyond a million too, which SPIN writes as a power of ten', () => {
    expect(searchOf(printed(0, '1.3975e+06'))).toEqual({ kind: 'complete', states: 1_397_500 });
  });
});

describe('a verdict', () => {
  const ghost = searchOf(broken('assertion violated (x||ghost)'));
  const believers = searchOf(broken('assertion violated (x||two_believers)'));

  it('is good only for what is expected', () => {
    expect(judge(passing, searchOf(complete)).ok).toBe(true);
    expect(judge(failing, ghost).ok).toBe(true);
    expect(judge(passing, ghost)).toEqual({ ok: false, said: 'FAILS: ghost' });
    expect(judge(failing, searchOf(complete)).ok).toBe(false);
  });

  it('is bad when it fails for another reason', () => {
    expect(judge(failing, believers).ok).toBe(false);
  });

  it('is bad when the search is incomplete, whatever was expected', () => {
    for (const variant of [passing, failing]) expect(judge(variant, searchOf('')).ok).toBe(false);
  });

  it('is bad when the model has outgrown its budget', () => {
    expect(judge({ ...passing, states: 6_626 }, searchOf(complete)).ok).toBe(false);
  });

  it('is a row of a table', () => {
    const row = { variant: failing, search: ghost, seconds: 1.04, verdict: judge(failing, ghost) };
    expect(table([row]).split('\n').at(-1)).toBe('| a | fails: ghost | 44 | 1.0 | `` |  |');
  });
});

it('each variant has a name of its own and says what it is about', () => {
  const names = variants.map(({ name }: { name: string }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const variant of variants)
    expect(variant).toMatchObject({
      model: expect.any(String),
      set: expect.any(String),
      because: expect.stringMatching(/\S/),
      states: expect.any(Number),
    });
});
