/** `npm run simulate`: see {@link usage}. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scenarioOf } from '../plan/draw.js';
import { runScenario } from '../run.js';
import { shrink } from '../shrink.js';
import { inMacrotask } from '../world/jobs.js';
import { type CampaignResult, runCampaign } from './campaign.js';
import { type Orders, ordersOf, usage } from './orders.js';
import { record, writeReport } from './report.js';
import type { Finding } from './tally.js';
import { type Share, work } from './worker.js';

/** Where things are, and what is run: told by scripts/simulate.mjs. */
interface Places {
  readonly results: string;
  readonly document: string;
  readonly scratch: string;
  readonly commit: string;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const count = (value: number) => Math.round(value).toLocaleString('en-US');

function progressOf({ minutes, tally, findings }: CampaignResult): string {
  const perSecond = count(tally.holds / (minutes * 60));
  return `${minutes.toFixed(1)} min: ${count(tally.runs)} worlds, ${count(tally.holds)} holds (${perSecond} a second), ${count(tally.faults)} faults, ${findings.length} violated`;
}

/** Says how to see it again, makes it smaller, and leaves the trace of the smallest in a file. */
async function show({ seed }: Finding, orders: Orders, scratch: string) {
  const terms = (['class', 'with', 'temper'] as const).map((name) =>
    orders[name] === undefined ? '' : ` --${name} ${orders[name]}`,
  );
  say(`    again: npm run simulate -- --show ${seed}${terms.join('')}${orders.scripts === 'lua' ? ' --lua' : ''}`);
  const failed = await inMacrotask(() => runScenario(scenarioOf(seed, orders)));
  if (failed.violation === undefined) {
    say('    it does not come again: the world is not deterministic, and that is the first thing to mend');
    return;
  }
  const { result, runs } = await inMacrotask(() => shrink(failed));
  const { trace } = await inMacrotask(() => runScenario(result.scenario, { trace: 'with text' }));
  mkdirSync(scratch, { recursive: true });
  const file = join(scratch, `${seed}.txt`);
  writeFileSync(file, `${JSON.stringify(result.scenario, undefined, 2)}\n\n${trace.join('\n')}\n`);
  const { processes, faults, locks } = result.scenario;
  say(
    `    made smaller in ${runs} runs: ${processes.length} processes, ${locks.length} locks, ${faults.length} faults`,
  );
  say(`    its plan and its trace: ${file}`);
  for (const line of trace.slice(-12)) say(`    ${line.slice(0, 200)}`);
}

async function showOne(asked: readonly string[]): Promise<void> {
  const { seed, ...terms } = ordersOf(
    asked.map((word) => (word === '--show' ? '--seed' : word)),
    () => 0,
  );
  const { trace, counts, violation, digest } = await inMacrotask(() =>
    runScenario(scenarioOf(seed, terms), { trace: 'with text' }),
  );
  for (const line of trace) say(line);
  say(JSON.stringify({ digest, ...counts, violation }));
}

async function campaign(asked: readonly string[], places: Places): Promise<boolean> {
  const orders = ordersOf(asked, () => Math.floor(Math.random() * 2 ** 31));
  say(`seeds from ${orders.seed} on, ${orders.workers} workers`);
  const result = await runCampaign(fileURLToPath(import.meta.url), orders, {
    onProgress: (now) => say(progressOf(now)),
    onFinding: ({ seed, rule, text }) => say(`seed ${seed} violates ${rule}: ${text}`),
  });
  say(progressOf(result));
  if (orders.record) record(places.results, places.commit, result);
  for (const finding of result.findings.slice(0, 3)) {
    const { rule, class: kind, at, text } = finding;
    say(`\nVIOLATED ${rule} in a ${kind} world at ${at.toFixed(0)} ms: ${text}`);
    if (orders.shows) await show(finding, orders, places.scratch);
  }
  say(result.findings.length === 0 ? 'nothing violated' : `${result.findings.length} violated`);
  return result.findings.length === 0;
}

const args = process.argv.slice(2);
if (args.includes('--worker')) {
  process.once('message', (share) => {
    void work(share as Share, (report) => process.send?.(report)).then(() => process.disconnect());
  });
} else {
  const places = JSON.parse(process.env['HOLDFAST_SIMULATION_PLACES'] ?? '{}') as Places;
  if (args.includes('--help')) say(usage);
  else if (args.includes('--show')) await showOne(args);
  else if (args.includes('--report')) writeReport(places.results, places.document);
  else process.exitCode = (await campaign(args, places)) ? 0 : 1;
}
