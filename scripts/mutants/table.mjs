// How verdicts are shown: a line when one is known, a table of all at the end.

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;

/** @param {{ done: number, of: number }} progress */
export function progressLine(mutant, verdict, { done, of }) {
  const count = `${String(done).padStart(String(of).length)}/${of}`;
  const word = verdict.caughtBy === undefined ? 'SURVIVED' : 'caught  ';
  return `${count}  ${word}  ${mutant.name}  (${seconds(verdict.ms)})`;
}

/** Markdown, its columns aligned; the survivors, if any, say why. */
export function table(rows) {
  const cells = rows.map(([mutant, verdict]) => [
    mutant.name,
    `${mutant.rule} (${mutant.source})`,
    verdict.caughtBy === undefined ? 'SURVIVED' : 'caught',
    verdict.caughtBy ?? verdict.why,
    verdict.told ?? '',
  ]);
  const head = ['mutant', 'rule that it breaks', 'verdict', 'by test', 'which said'];
  const all = [head, ...cells].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [first, ...rest] = all;
  return [line(first), rule, ...rest.map(line)].join('\n');
}

/** @param {{ verdict: object }[]} rows */
export function summary(rows, ms) {
  const survived = rows.filter(([, { caughtBy }]) => caughtBy === undefined);
  const names = survived.map(([{ name }]) => name).join(', ');
  return `${rows.length - survived.length} caught, ${survived.length} survived${names && ` (${names})`}, ${seconds(ms)}`;
}
