/** Tables of names in every writing: columns stand below each other. */
import { describe, expect, it } from '@jest/globals';
import { plain } from '../../src/cli/paint.js';
import { type Sheet, table } from '../../src/cli/table.js';

const sheet = (columns: number): Sheet => ({ paint: plain, isTerminal: true, size: () => ({ rows: 20, columns }) });

describe('a table', () => {
  it('has its columns below each other, whatever the names are written in', () => {
    const names = [
      '注文:1',
      'ｗｉｄｅ',
      'ﾊﾝｶｸ',
      '주문',
      '\u1112\u1161\u11ab',
      'café',
      'cafe\u0301',
      '🔒',
      '🇩🇪',
      '𠮷',
      '①',
    ];
    expect(
      table(
        ['NAME', 'TO'],
        names.map((name) => [name, 'x']),
        sheet(80),
      ),
    ).toBe(
      [
        'NAME      TO',
        '注文:1    x',
        'ｗｉｄｅ  x',
        'ﾊﾝｶｸ      x',
        '주문      x',
        '\u1112\u1161\u11ab        x',
        'café      x',
        'cafe\u0301      x',
        '🔒        x',
        '🇩🇪        x',
        '𠮷        x',
        '①         x',
        '',
      ].join('\n'),
    );
  });

  it('cuts wide names to the columns that there are, and no accent from its letter', () => {
    const rows = ['注文注文注文注文', 'e\u0301'.repeat(20), 'a'.repeat(20)].map((name) => [name, 'x']);
    expect(table(['NAME', 'TO'], rows, sheet(15))).toBe(
      [
        'NAME         TO',
        '注文…文注文  x',
        `${'e\u0301'.repeat(5)}…${'e\u0301'.repeat(5)}  x`,
        'aaaaa…aaaaa  x',
        '',
      ].join('\n'),
    );
  });
});
