import { columnsOf, padded, withoutMiddle } from './columns.js';
import type { Io } from './io.js';

/** A cell that is wider loses its middle: the columns behind it are to be seen. */
const WIDEST = 80;
/** No column is made narrower, nor than its title: below that a name says nothing. */
const NARROWEST = 8;
const GAP = '  ';

/** Where it is shown. */
export type Sheet = Pick<Io, 'paint' | 'isTerminal' | 'size'>;

/** Rows under a head, in columns as wide as what stands in them, up to a limit: each, and in a terminal, which would wrap the lines, all together. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], sheet: Sheet): string {
  const width = sheet.isTerminal ? sheet.size().columns : Infinity;
  const whole = rows.map((row) => row.map((cell) => withoutMiddle(printable(cell), WIDEST)));
  const wanted = head.map((title, column) =>
    Math.max(title.length, ...whole.map((row) => columnsOf(row[column] ?? ''))),
  );
  const widths = fitted(wanted, head, width - GAP.length * (head.length - 1));
  const shown = whole.map((row) => row.map((cell, column) => withoutMiddle(cell, widths[column] ?? WIDEST)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : padded(cell, widths[column] ?? 0)))
      .join(GAP)
      .trimEnd();
  return [sheet.paint('bold', line(head)), ...shown.map(line)].map((text) => `${text}\n`).join('');
}

/** Takes from the widest, one after the other, until all fit in. */
function fitted(widths: readonly number[], head: readonly string[], room: number): readonly number[] {
  const least = head.map((title) => Math.max(title.length, NARROWEST));
  const left = [...widths];
  for (let excess = left.reduce((sum, each) => sum + each, 0) - room; excess > 0; excess--) {
    const spare = left.map((each, column) => (each > (least[column] as number) ? each : 0));
    const widest = spare.indexOf(Math.max(...spare));
    if (spare[widest] === 0) break;
    left[widest] = (left[widest] as number) - 1;
  }
  return left;
}

/** What controls a terminal or the direction of writing, and what is not seen or looks like a space. */
const unseen = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * A text that is put into a terminal: what users named cannot move the cursor or turn a line around. What cannot be seen as what it is is written as JSON has it, and so is
 * the backslash: different names look different.
 */
export function printable(text: string): string {
  return harmless(text.replaceAll('\\', '\\\\'));
}

/** A sentence that is put into a terminal: as {@link printable}, but for backslashes, which stand in the paths of some. */
export function harmless(text: string): string {
  return text.replaceAll(unseen, (character) => {
    const inJson = JSON.stringify(character).slice(1, -1);
    return inJson === character ? character.split('').map(unit).join('') : inJson;
  });
}

const unit = (half: string) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`;
