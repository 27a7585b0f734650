const help = `npm run spec                       checks every variant of the models in spec/ with SPIN
npm run spec -- --quick            only those that CI checks: less than a minute on one core
npm run spec -- --only NAME        only the variants of this name, or whose name begins with it and a dash; may be repeated
npm run spec -- --model NAME       only the variants of this model
npm run spec -- --list             what there is
npm run spec -- --traces           writes spec/traces/ anew, for the tests of the real client; a check without --only says when they are stale

A variant that must pass is searched exhaustively; one that must fail has a rule left out, and must fail for the stated reason. Ends
with a table; exit code 1 unless all is as expected (an incomplete search is not), 69 when there is no SPIN or no C compiler. Writes
nothing outside a temporary folder, but for --traces. Nothing has to be installed with npm first.
`;
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { variants } from '../spec/variants.mjs';
import { search } from './spec/search.mjs';
import { haveTools } from './spec/tools.mjs';
import { staleTraces, writeTraces } from './spec/traces.mjs';
import { judge, table } from './spec/verdict.mjs';

const say = (line) => process.stdout.write(`${line}\n`);

/** Those that are wanted; an error when a name fits nothing. */
function chosen({ only, model, quick }) {
  const fits = (wanted) => (variant) => variant.name === wanted || variant.name.startsWith(`${wanted}-`);
  for (const wanted of only ?? []) if (!variants.some(fits(wanted))) throw new Error(`no such variant: ${wanted}`);
  if (model !== undefined && !variants.some((variant) => variant.model === model))
    throw new Error(`no such model: ${model}`);
  return variants.filter(
    (variant) =>
      (only === undefined || only.some((wanted) => fits(wanted)(variant))) &&
      (model === undefined || variant.model === model) &&
      (!quick || variant.quick),
  );
}

async function check(wanted, temporary) {
  const rows = [];
  for (const variant of wanted) {
    const startedAt = performance.now();
    const found = await search(variant, temporary);
    rmSync(join(temporary, variant.name), { recursive: true });
    const seconds = (performance.now() - startedAt) / 1_000;
    const verdict = judge(variant, found);
    rows.push({ variant, search: found, seconds, verdict });
    say(
      `${verdict.ok ? 'ok   ' : 'WRONG'} ${variant.name}: ${verdict.said} (${found.states} states, ${seconds.toFixed(1)} s)`,
    );
  }
  return rows;
}

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      model: { type: 'string' },
      quick: { type: 'boolean' },
      list: { type: 'boolean' },
      traces: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const wanted = chosen(values);
  if (values.list) {
    for (const { name, model, fails, because } of wanted) say(`${model}  ${name}: ${fails ?? 'holds'}: ${because}`);
    return 0;
  }
  if (!(await haveTools())) {
    process.stderr.write('The models need SPIN and a C compiler: apt-get install spin gcc | brew install spin\n');
    return 69;
  }
  const temporary = mkdtempSync(join(tmpdir(), 'holdfast-spec-'));
  process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  if (values.traces) {
    say(`${await writeTraces(temporary)} traces`);
    return 0;
  }
  const rows = await check(wanted, temporary);
  const wrong = rows.filter(({ verdict }) => !verdict.ok);
  const seconds = rows.reduce((sum, row) => sum + row.seconds, 0);
  say(`\n${table(rows)}\n\n${rows.length - wrong.length} as expected, ${wrong.length} not, ${seconds.toFixed(0)} s`);
  const stale = values.only === undefined && values.model === undefined ? await staleTraces(temporary) : [];
  if (stale.length > 0) say(`not what the model says any more (npm run spec -- --traces): ${stale.join(', ')}`);
  return wrong.length === 0 && stale.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
