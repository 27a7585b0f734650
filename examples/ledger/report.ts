import type { LockClientStats } from 'holdfast';
import { audit, type Audit } from './audit.js';
import { recoveriesMs } from './crash.js';
import { openingCents, type Result } from './run.js';

/** The runs side by side: a row for each fact, a column for each run. */
export function table(results: readonly Result[]): string {
  const columns = results.map(column);
  const rows = [...new Set(columns.flatMap((cells) => Object.keys(cells)))];
  const labelWidth = Math.max(...rows.map((row) => row.length));
  const widths = columns.map((cells) => Math.max(...Object.values(cells).map((cell) => cell.length)));
  return rows
    .map((row) => {
      const cells = columns.map((named, index) => (named[row] ?? '').padStart(widths[index] ?? 0));
      return `${row.padEnd(labelWidth)}   ${cells.join('   ')}\n`;
    })
    .join('');
}

export function auditOf({ plan, accounts }: Result): Audit {
  return audit(plan.transfers, accounts, openingCents);
}

function column(result: Result): Record<string, string> {
  const { plan, outcomes } = result;
  const { moneyBeforeCents, moneyAfterCents, ...counts } = auditOf(result);
  return {
    '': plan.guarding === 'locks' ? 'with locks' : 'without locks',
    'transfers applied': `${result.applied} of ${plan.transfers.length}`,
    'lost updates': String(counts.lostUpdates),
    'accounts that are wrong': `${counts.wrongAccounts} of ${counts.accounts}`,
    'money before': money(moneyBeforeCents),
    'money after': money(moneyAfterCents),
    time: `${(result.tookMs / 1_000).toFixed(1)} s`,
    ...crashCells(result),
    'found applied by the dead worker': String(outcomes['applied-before']),
    'tried again: account busy / lease lost': `${outcomes.busy} / ${outcomes.lost}`,
    ...(plan.guarding === 'locks' ? lockCells(result) : {}),
  };
}

function crashCells({ crash, taken }: Result): Record<string, string> {
  if (crash === undefined) return { 'worker killed': 'no' };
  const recoveries = recoveriesMs(crash, taken);
  const [first, last] = [recoveries[0], recoveries.at(-1)];
  return {
    'worker killed': `with ${crash.transfersInHand} transfers in hand`,
    'locks it left behind': String(crash.orphaned.length),
    'recovery: first / last of them taken':
      first === undefined || last === undefined ? '-' : `${first} / ${last} ms after`,
  };
}

function lockCells({ taken, stats }: Result): Record<string, string> {
  const waits = taken.map(({ waitedMs }) => waitedMs).sort((a, b) => a - b);
  const sum = (count: (stats: LockClientStats) => number) => stats.reduce((total, one) => total + count(one), 0);
  const handoffs = [
    sum((one) => one.handoffs.local),
    sum((one) => one.handoffs.passed),
    sum((one) => one.handoffs.granted),
  ];
  return {
    'wait for an account p50 / p99': `${percentile(waits, 50)} / ${percentile(waits, 99)} ms`,
    // The dead worker took its counters with it.
    'handoffs in memory / passed / remote *': handoffs.join(' / '),
    're-entries *': String(sum((one) => one.reentries)),
  };
}

function percentile(sorted: readonly number[], percent: number): string {
  return (sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0).toFixed(1);
}

function money(cents: number): string {
  return (cents / 100).toLocaleString('en', { minimumFractionDigits: 2 });
}
