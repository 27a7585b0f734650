/** npm run faults: see `usage`. Started by `scripts/faults.mjs`, which has bundled everything and says where it is. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { defaultResults, type Orders, ordersOf, usage } from './command-line.js';
import { withResults } from './report.js';
import { type EpochResult, faultsOf } from './result.js';
import { Run } from './run.js';
import type { Places } from './stage.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const command = ({ topology, className, seed, workload = 'all' }: EpochResult): string =>
  `npm run faults -- --topology ${topology} --class ${className}${workload === 'all' ? '' : ` --workload ${workload}`} --seed ${seed} --epochs 1`;

function show(result: EpochResult, histories: string): void {
  const { topology, className, seed, verdict, holds, local, seconds, calmRate, longestLastTurnMs, findings } = result;
  say(
    `${verdict === 'passed' ? 'ok' : verdict.toUpperCase()}: ${topology}, ${className}, seed ${seed}: ${holds} holds (${local} local), ` +
      `${faultsOf(result)} faults, ${seconds} s, ${calmRate} holds/s before, last turns within ${longestLastTurnMs} ms`,
  );
  for (const finding of findings.slice(0, 10)) say(`    ${finding.replaceAll('\n', '\n    ')}`);
  if (verdict === 'violated') say(`    again: ${command(result)}\n    histories: ${histories}`);
}

function keep(result: EpochResult, { results }: Orders): void {
  if (results === undefined) return;
  mkdirSync(dirname(results), { recursive: true });
  appendFileSync(results, `${JSON.stringify(result)}\n`);
}

const page = 'docs/faults.md';

function report(): void {
  const lines = readFileSync(defaultResults, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const results = lines.map((line) => JSON.parse(line) as EpochResult);
  writeFileSync(page, withResults(readFileSync(page, 'utf8'), results));
  say(`${page}: ${results.length} epochs`);
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    say(usage);
    return;
  }
  if (args.includes('--report')) {
    report();
    return;
  }
  const places = JSON.parse(process.env['HOLDFAST_FAULTS_PLACES'] ?? '{}') as Places;
  const orders = ordersOf(args, () => Math.floor(Math.random() * 2 ** 31));
  say(orders.announcement);
  const all: EpochResult[] = [];
  for (const topology of orders.topologies) {
    const run = new Run(topology, orders, places, {
      onProgress: say,
      onEpoch(result, histories) {
        show(result, histories);
        keep(result, orders);
      },
    });
    all.push(...(await run.run()));
  }
  const violated = all.filter(({ verdict }) => verdict === 'violated').length;
  const useless = all.filter(({ verdict }) => verdict === 'counts for nothing').length;
  const sum = (count: (result: EpochResult) => number): number =>
    all.reduce((total, result) => total + count(result), 0);
  say(
    `${all.length} epochs, ${sum(({ holds }) => holds)} holds, ${sum(faultsOf)} faults: ${violated} violated, ${useless} count for nothing`,
  );
  if (violated > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof RangeError || (error instanceof TypeError && 'code' in error);
  process.stderr.write(`${isUsage ? `${error.message}\n\n${usage}` : (error as Error).stack}\n`);
  process.exitCode = 2;
}
