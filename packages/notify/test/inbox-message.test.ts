import { type SeededRandom, seededRandom } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { parseInboxMessage } from '../src/index.js';

describe('parseInboxMessage', () => {
  it('reads a grant without a token', () => {
    expect(parseInboxMessage('1 grant client:7 1700000003000 1700000000000 12 -')).toEqual({
      kind: 'grant',
      tenure: 'client:7',
      expiresAtMs: 1_700_000_003_000,
      nowMs: 1_700_000_000_000,
      others: 12,
    });
  });

  it('keeps a fencing token as text, beyond what a number holds exactly', () => {
    expect(parseInboxMessage('1 grant c:1 2 1 0 9223372036854775807')).toMatchObject({ token: '9223372036854775807' });
  });

  it('reads notices of contention and of loss', () => {
    expect(parseInboxMessage('1 contended owner:client:7')).toEqual({ kind: 'contended', tenure: 'owner:client:7' });
    expect(parseInboxMessage('1 lost c:1 force-unlocked')).toEqual({ kind: 'lost', tenure: 'c:1' });
  });

  it('reads how long a turn is, before and behind other words', () => {
    const grant = { kind: 'grant', tenure: 'c:1', expiresAtMs: 2, nowMs: 1, others: 0 };
    expect(parseInboxMessage('1 grant c:1 2 1 0 - turn 9')).toEqual({ ...grant, turn: 9 });
    const inherited = { reason: 'expired', since: 7 };
    expect(parseInboxMessage('1 grant c:1 2 1 0 - turn 9 expired 7')).toEqual({ ...grant, turn: 9, inherited });
    expect(parseInboxMessage('1 grant c:1 2 1 0 - new 1 turn 9 newer')).toEqual({ ...grant, turn: 9 });
    for (const words of ['turn', 'turn 0', 'turn -1', 'turn 1.5', 'turn soon']) {
      expect(parseInboxMessage(`1 grant c:1 2 1 0 - ${words}`)).toEqual(grant);
    }
  });

  it('reads what it knows of a message in which a later version says more', () => {
    const grant = { kind: 'grant', tenure: 'c:1', expiresAtMs: 2, nowMs: 1, others: 0 };
    for (const more of ['-', 'shared', 'shared 3 9007199254740993', 'für alle']) {
      expect(parseInboxMessage(`1 grant c:1 2 1 0 - ${more}`)).toEqual(grant);
      expect(parseInboxMessage(`1 grant c:1 2 1 0 42 ${more}`)).toEqual({ ...grant, token: '42' });
      expect(parseInboxMessage(`1 contended c:1 ${more}`)).toEqual({ kind: 'contended', tenure: 'c:1' });
      expect(parseInboxMessage(`1 lost c:1 force-unlocked ${more}`)).toEqual({ kind: 'lost', tenure: 'c:1' });
    }
  });

  it('takes a tenure id as it is, whatever its owner is called', () => {
    for (const tenure of ['работник:c:1', 'a\u00a0b:c:1', '-:c:1', 'x'.repeat(1_024) + ':c:1']) {
      expect(parseInboxMessage(`1 contended ${tenure}`)).toEqual({ kind: 'contended', tenure });
    }
  });

  it.each([
    ['a newer version', '2 grant c:1 2 1 0 - extra'],
    ['a newer version of the same form', '2 grant c:1 2 1 0 -'],
    ['a version that is no number', '1.0 contended c:1'],
    ['an unknown kind', '1 promised c:1'],
    ['a kind that is a property of every object', '1 constructor c:1'],
    ['a field too few', '1 grant c:1 2 1 0'],
    ['a further word that is empty', '1 grant c:1 2 1 0 - '],
    ['a further word that is empty before one that is not', '1 contended c:1  now'],
    ['control characters in a further word', '1 lost c:1 force-unlocked by\u0007'],
    ['no reason', '1 lost c:1'],
    ['an empty reason', '1 lost c:1 '],
    ['a reason that is not a word', '1 lost c:1 <script>'],
    ['a number that is not one', '1 grant c:1 soon 1 0 -'],
    ['an empty number', '1 grant c:1  1 0 -'],
    ['a fraction', '1 grant c:1 2.5 1 0 -'],
    ['an exponent', '1 grant c:1 1e3 1 0 -'],
    ['a negative number', '1 grant c:1 -2 1 0 -'],
    ['hexadecimal', '1 grant c:1 0x10 1 0 -'],
    ['a number that JavaScript does not hold exactly', '1 grant c:1 9007199254740993 1 0 -'],
    ['infinity', '1 grant c:1 Infinity 1 0 -'],
    ['a token that is not a number', '1 grant c:1 2 1 0 abc'],
    ['an empty token', '1 grant c:1 2 1 0 '],
  ])('answers "look", with the tenure, to %s', (_what, text) => {
    expect(parseInboxMessage(text)).toEqual({ kind: 'look', tenure: 'c:1' });
  });

  it.each([
    ['nothing', ''],
    ['a space', ' '],
    ['half a message', '1 grant'],
    ['an empty tenure', '1 grant  2 1 0 -'],
    ['control characters in a tenure', '1 grant c\u0000:1 2 1 0 -'],
    ['line breaks', '1\ngrant\nc:1\n2\n1\n0\n-'],
    ['JSON', '{"kind":"grant"}'],
    ['a release of Redisson', '0'],
    ['a message of 100 KB', `1 contended ${'c'.repeat(100_000)}`],
    ['a million spaces', ' '.repeat(1_000_000)],
  ])('answers "look" to %s', (_what, text) => {
    expect(parseInboxMessage(text)).toEqual({ kind: 'look' });
  });

  it('survives what is not text at all', () => {
    for (const value of [undefined, null, 1, {}, [], Symbol('x'), Object.create(null)]) {
      expect(parseInboxMessage(value as string)).toEqual({ kind: 'look' });
    }
  });

  it('is total: random damage to good messages never throws, and never makes a number that is not one', () => {
    const random = seededRandom(20_240_601);
    const good = [
      '1 grant client:7 1700000003000 1700000000000 12 -',
      '1 grant o:client:8 1700000003000 1700000000000 0 42',
      '1 contended client:7',
      '1 lost client:7 force-unlocked',
    ];
    const kinds = new Map<string, number>();
    for (let round = 0; round < 20_000; round += 1) {
      const message = parseInboxMessage(damage(good[round % good.length] ?? '', random));
      kinds.set(message.kind, (kinds.get(message.kind) ?? 0) + 1);
      if (message.kind !== 'grant') continue;
      for (const number of [message.expiresAtMs, message.nowMs, message.others]) {
        expect(Number.isSafeInteger(number) && number >= 0).toBe(true);
      }
      if (message.token !== undefined) expect(message.token).toMatch(/^\d+$/);
    }
    expect([...kinds.keys()].sort()).toEqual(['contended', 'grant', 'look', 'lost']);
  });
});

function damage(text: string, random: SeededRandom): string {
  const characters = text.split('');
  for (let strokes = random.below(4); strokes > 0; strokes -= 1) {
    const at = random.below(characters.length + 1);
    switch (random.below(4)) {
      case 0:
        characters.splice(at, 1);
        break;
      case 1:
        characters.splice(at, 0, String.fromCharCode(random.below(0x300)));
        break;
      case 2:
        characters.splice(at, 0, random.pick(['0', ' ', '9', '-', 'e', '.', ':']));
        break;
      default:
        characters.splice(at);
    }
  }
  return characters.join('');
}
