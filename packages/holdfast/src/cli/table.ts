import type { Paint } from './paint.js';

/** A cell that is wider loses its middle: the columns behind it are to be seen. */
const WIDEST = 80;

/** Rows under a head, in columns as wide as what stands in them, up to a limit. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const shown = rows.map((row) => row.map((cell) => withoutMiddle(printable(cell))));
  const widths = head.map((title, column) => Math.max(title.length, ...shown.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [paint('bold', line(head)), ...shown.map(line)].map((text) => `${text}\n`).join('');
}

function withoutMiddle(cell: string): string {
  const characters = Array.from(cell);
  if (characters.length <= WIDEST) return cell;
  const front = WIDEST / 2;
  return `${characters.slice(0, front).join('')}…${characters.slice(front + 1 - WIDEST).join('')}`;
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
