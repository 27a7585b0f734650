import { type Figure, figures } from '../measure/figures.js';
import type { Workload } from '../workloads/workload.js';
import { number, times, withSpread } from './numbers.js';
import type { CaseResult, PeerResult } from './results.js';

/** Cells; the first row names the columns. */
export type Table = readonly (readonly string[])[];

/** Figures whose spread says how far a run can be trusted. */
const spreadShown: ReadonlySet<Figure> = new Set([
  'opsPerSecond',
  'acquireP50Us',
  'handoffP50Us',
  'importMs',
  'firstLockMs',
]);

/** What a reader must know about a row before its numbers. */
export function remark({ mostInside, problem, failures }: PeerResult): string {
  const remarks = [
    ...(mostInside > 1 ? [`**broke exclusion: ${mostInside} inside**`] : []),
    ...(problem === undefined ? [] : [problem]),
    ...(failures.length > 0 ? [`calls rejected: ${failures.join('; ')}`] : []),
  ];
  return remarks.join('; ').slice(0, 200);
}

/** One case as a table: the columns that the workload asks for, as far as anybody has them. */
export function caseTable(workload: Workload, { peers }: CaseResult): Table {
  const columns = workload.columns.filter((figure) => peers.some((peer) => peer.figures[figure] !== undefined));
  const someRatio = (key: 'toBase' | 'toBestPeer') => peers.some((peer) => peer[key] !== undefined);
  const ratios = (['toBase', 'toBestPeer'] as const).filter(someRatio);
  const remarks = peers.some((peer) => remark(peer) !== '');
  const titles = columns.map((figure) => figures[figure].title);
  const ratioTitles = ratios.map((key) =>
    key === 'toBase' ? `÷ ${workload.base.replace('floor: ', '')}` : '÷ best peer',
  );
  const rows = peers.map((peer) => [
    peer.peer,
    ...columns.map((figure) => cell(figure, peer)),
    ...ratios.map((key) => times(peer[key])),
    ...(remarks ? [remark(peer)] : []),
  ]);
  return [['', ...titles, ...ratioTitles, ...(remarks ? [''] : [])], ...rows];
}

function cell(figure: Figure, { figures: measured }: PeerResult): string {
  const summary = measured[figure];
  if (summary === undefined) return '';
  return spreadShown.has(figure) ? withSpread(summary) : number(summary.median);
}

export function markdownTable(table: Table): string {
  const [head = [], ...rows] = table;
  const line = (cells: readonly string[]) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(head),
    `|---|${head
      .slice(1)
      .map(() => '---:|')
      .join('')}`,
    ...rows.map(line),
  ].join('\n');
}

export function terminalTable(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const aligned = table.map((row) =>
    row.map((text, column) => (column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0))),
  );
  return aligned.map((row) => `  ${row.join('  ')}`.trimEnd()).join('\n');
}
