/** npm run soak: see `usage` for the options, and docs/soak.md. Exit code 1 when a check has failed. */
import { startPrivateRedis } from '@holdfast/testkit';
import { type Plan, planOf, usage } from './plan.js';
import { circumstances, commit } from './report/circumstances.js';
import { outcomeOf } from './report/outcome.js';
import { progress } from './report/progress.js';
import { save, writeReport } from './report/store.js';
import { soak } from './run/soak.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function run(plan: Plan): Promise<boolean> {
  const startedAt = new Date().toISOString();
  say(plan.command);
  const server = await startPrivateRedis();
  try {
    const setting = { commit: commit(), startedAt, circumstances: await circumstances(await server.admin()) };
    const result = outcomeOf(plan, setting, await soak(server, plan, progress()));
    say('');
    for (const [text, count] of commonest(result.failures)) say(`${count} times: ${text}`);
    for (const { what, passed, seen } of result.checks) say(`${passed ? 'ok    ' : 'FAILED'}  ${what}: ${seen}`);
    say(`\n${result.passed ? 'passed' : 'NOT PASSED'}; the result is in ${save(plan, result)}`);
    return result.passed;
  } finally {
    await server.stop();
  }
}

/** What differs only by lock and time is one failure. */
function commonest(failures: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const failure of failures) {
    const text = failure.replaceAll(/\d+/g, '#');
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, 10);
}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    say(usage);
    return;
  }
  const plan = planOf(process.argv.slice(2), Math.floor(Math.random() * 1e6));
  if (plan.extent === 'report only') say(`report: ${writeReport(plan)}`);
  else if (!(await run(plan))) process.exitCode = 1;
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
