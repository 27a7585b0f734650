/** npm run bench: measures, prints tables while it goes on, and writes results and report. See `usage` for the options. */
import { fileURLToPath } from 'node:url';
import { startPrivateRedis } from '@holdfast/testkit';
import type { Peer } from './peers/peer.js';
import { peerNamed, roster } from './peers/roster.js';
import { findPrograms } from './programs/find.js';
import type { Language, Programs } from './programs/program.js';
import { Progress } from './report/progress.js';
import { Store } from './report/store.js';
import { caseTable, terminalTable } from './report/table.js';
import { Bench } from './run/bench.js';
import { Budget } from './run/budget.js';
import { circumstancesOf } from './run/circumstances.js';
import { type Plan, planOf, usage } from './run/command-line.js';
import { exactCounts } from './run/exact-counts.js';
import { measureWorkload } from './run/measure-workload.js';
import { catalogue } from './workloads/catalogue.js';

const committed = fileURLToPath(new URL('../../../docs/benchmarks', import.meta.url));
const scratch = fileURLToPath(new URL('../node_modules/.cache/report', import.meta.url));

/** Of the cases; starting and ending a run come on top. */
const LIMIT_MS = 44 * 60_000;

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Whether somebody has no part in the run who would be in the tables of these workloads. */
function lacksPeers({ workloads, peers }: Plan): boolean {
  const measured = catalogue.filter(({ name }) => workloads.includes(name));
  return roster.some((peer) => !peers.includes(peer.name) && measured.some((workload) => workload.suits(peer)));
}

function folderOf(plan: Plan): string {
  if (plan.out !== undefined) return plan.out;
  return plan.extent === 'short' || lacksPeers(plan) ? scratch : committed;
}

const tellMissing = (language: Language, why: string) => say(`left out: ${language}, ${why}`);

/** Nobody whose program could not be made. */
function withoutMissing(plan: Plan, programs: Programs): Plan {
  const isThere = ({ runsIn }: Peer) => runsIn === undefined || programs[runsIn] !== undefined;
  return { ...plan, peers: plan.peers.filter((name) => isThere(peerNamed(name))) };
}

/** What a run measures with, and where it keeps what it finds. */
interface Means {
  readonly store: Store;
  readonly programs: Programs;
}

/** Answers whether every number is the one it has to be. */
async function checkCounts(server: Awaited<ReturnType<typeof startPrivateRedis>>): Promise<boolean> {
  say('\nexact numbers of commands');
  const counts = await exactCounts(server);
  for (const { what, expected, counted } of counts) {
    say(`  ${counted === expected ? 'ok' : `WRONG, not ${expected}`}: ${counted} for ${what}`);
  }
  return counts.every(({ expected, counted }) => counted === expected);
}

async function measure(plan: Plan, extent: 'full' | 'short', { store, programs }: Means): Promise<boolean> {
  const server = await startPrivateRedis();
  const bench = new Bench(server, plan, programs);
  const budget = new Budget(LIMIT_MS);
  const progress = new Progress(process.stderr);
  try {
    const exact = await checkCounts(server);
    for (const workload of catalogue.filter(({ name }) => plan.workloads.includes(name))) {
      if (plan.present === 'keep' && store.load(workload.name) !== undefined) continue;
      say(`\n${workload.title}`);
      const result = await measureWorkload(workload, {
        bench,
        budget,
        extent,
        peers: plan.peers.map(peerNamed),
        circumstances: await circumstancesOf(server, plan, programs),
        onStep: (step) => progress.show(step),
        onLeftOut: ({ name }, label) => say(`\nno time left for ${label}; npm run bench -- --only ${name}`),
        onCase(measured, testCase) {
          progress.clear();
          say(`\n${testCase.label}\n${terminalTable(caseTable(measured, testCase))}`);
        },
      });
      if (result.cases.length === 0) continue;
      store.save(result);
      store.writeReport(); // what has been measured is in it even if the run is ended
    }
    return exact;
  } finally {
    progress.clear();
    await bench.close();
    await server.stop();
  }
}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    say(usage);
    return;
  }
  const asked = planOf(process.argv.slice(2));
  const programs = asked.extent === 'report only' ? {} : await findPrograms(asked.languages, tellMissing);
  const plan = withoutMissing(asked, programs);
  const store = new Store(folderOf(plan));
  const exact = plan.extent === 'report only' || (await measure(plan, plan.extent, { store, programs }));
  say(`\nreport: ${store.writeReport()}`);
  if (!exact) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof RangeError || (error instanceof TypeError && 'code' in error);
  process.stderr.write(
    `${isUsage ? `${error.message}\n\n${usage}` : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exitCode = 2;
}
