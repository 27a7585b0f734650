import { styleText } from 'node:util';

/**
 * Rows under a head, in columns as wide as what stands in them. What users named cannot move the cursor or turn a line around: what controls a terminal or
 * the direction of writing is shown as dots.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[], isColored: boolean): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = head.map((title, column) => Math.max(title.length, ...shown.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [styled('bold', line(head), isColored), ...shown.map(line)].map((text) => `${text}\n`).join('');
}

/** A text that is put into a terminal as it looks. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '·');
}

/** With its style where colours are wanted. */
export function styled(style: Parameters<typeof styleText>[0], text: string, isColored: boolean): string {
  return isColored ? styleText(style, text) : text;
}
