/** docs/faults.md: everything but the table is written by people; the table comes from the results. */
import type { EpochResult } from './result.js';
import { faultsOf } from './result.js';
import { topologies } from '../site/site.js';

const begin = '<!-- results -->';
const end = '<!-- end of results -->';

const number = (value: number): string => Math.round(value).toLocaleString('en-US');
const sum = (results: readonly EpochResult[], of: (result: EpochResult) => number): number =>
  results.reduce((total, result) => total + of(result), 0);

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [row(head), row(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...rows.map(row)].join('\n');
}

function byTopology(results: readonly EpochResult[]): string {
  const head = [
    '',
    'epochs',
    'hours',
    'holds',
    'of them local',
    'after another process',
    're-entries',
    'lost and told',
    'updates guarded',
    'faults',
  ];
  const rows = topologies.flatMap((topology) => {
    const own = results.filter((result) => result.topology === topology);
    if (own.length === 0) return [];
    const counts = [
      sum(own, ({ holds }) => holds),
      sum(own, ({ local }) => local),
      sum(own, ({ crossProcess }) => crossProcess),
      sum(own, ({ reentries }) => reentries),
      sum(own, ({ losses }) => losses),
      sum(own, ({ updates }) => updates),
      sum(own, faultsOf),
      own.filter(({ verdict }) => verdict === 'violated').length,
    ].map(number);
    return [[topology, own.length, (sum(own, ({ seconds }) => seconds) / 3_600).toFixed(2), ...counts]];
  });
  return table([...head, 'epochs violated'], rows);
}

function byClass(results: readonly EpochResult[]): string {
  const names = [...new Set(results.map(({ topology, className }) => `${topology}, ${className}`))].sort();
  const rows = names.map((name) => {
    const own = results.filter(({ topology, className }) => `${topology}, ${className}` === name);
    const longest = Math.max(...own.map(({ longestLastTurnMs }) => longestLastTurnMs));
    const violated = own.filter(({ verdict }) => verdict === 'violated').length;
    return [
      name,
      own.length,
      number(sum(own, ({ holds }) => holds)),
      number(sum(own, faultsOf)),
      `${number(longest)} ms`,
      violated,
    ];
  });
  return table(['', 'epochs', 'holds', 'faults', 'longest last turn', 'epochs violated'], rows);
}

function byFault(results: readonly EpochResult[]): string {
  const kinds = [...new Set(results.flatMap(({ faults }) => Object.keys(faults)))].sort();
  const rows = kinds.map((kind) => [
    kind,
    ...topologies.map((topology) =>
      number(
        sum(
          results.filter((result) => result.topology === topology),
          ({ faults }) => faults[kind] ?? 0,
        ),
      ),
    ),
  ]);
  return table(['fault', ...topologies], rows);
}

function violations(results: readonly EpochResult[]): string {
  const violated = results.filter(({ verdict }) => verdict === 'violated');
  if (violated.length === 0) return 'No epoch was violated.';
  return violated
    .map(({ topology, className, seed, commit, findings }) => {
      const first = findings[0]?.split('\n')[0] ?? '';
      return `- ${topology}, ${className}, seed ${seed}, commit ${commit}: ${first}`;
    })
    .join('\n');
}

function section(all: readonly EpochResult[]): string {
  const results = all.filter(({ verdict }) => verdict !== 'counts for nothing');
  if (results.length === 0) return 'No results yet.';
  const days = results.map(({ at }) => at.slice(0, 10)).sort();
  const commits = [...new Set(results.map(({ commit }) => commit))].join(', ');
  const seeds = topologies.flatMap((topology) => {
    const first = results.find((result) => result.topology === topology);
    return first === undefined ? [] : [`${topology} ${first.seed}`];
  });
  return [
    `From ${days[0]} to ${days.at(-1)}, on commit ${commits}. First seeds: ${seeds.join(', ')}. ${all.length - results.length} more epochs count for nothing.`,
    byTopology(results),
    byClass(results),
    byFault(results),
    violations(results),
  ].join('\n\n');
}

/** Puts the results into the page, in place of those that are there. */
export function withResults(page: string, results: readonly EpochResult[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`the page has no ${begin} … ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${section(results)}\n\n${page.slice(to)}`;
}
