// The tour; see README.md. Plays the eleven steps on servers of its own, and says what was seen and measured.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { plots } from './plots.js';
import { table, told } from './print.js';
import { type Outcome, Stage, type Step, type Tempo } from './stage.js';
import { steps } from './steps/index.js';
import { short, tour } from './tempo.js';

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, step: { type: 'string' }, record: { type: 'string' } },
});
const startedAt = performance.now();
const wanted = [...steps.entries()]
  .map(([index, step]) => ({ number: index + 1, step }))
  .filter(({ number }) => values.step === undefined || values.step === String(number));
const rows: [number, Step, Outcome][] = [];

// In short all of them beside each other, since nothing is timed; else one after the other.
const begun = values.short ? wanted.map(({ step }) => settled(step, short)) : [];
for (const [index, { number, step }] of wanted.entries()) {
  const played = await (begun[index] ?? settled(step, tour));
  if (played.status === 'rejected') {
    process.stdout.write(`\n${number}. ${step.system}\n   did not come to its end: ${String(played.reason)}\n`);
    process.exitCode = 1;
    continue;
  }
  const { flaw, cure, holdfast } = played.value;
  if (![flaw, cure, holdfast].every(({ seen }) => seen)) process.exitCode = 1;
  process.stdout.write(`\n${told(`${number}. ${step.system}`, step, played.value)}\n`);
  rows.push([number, step, played.value]);
}

const took = Math.round((performance.now() - startedAt) / 1_000);
process.stdout.write(`\n${table(rows)}\n\n${took} s in all, on Node ${process.versions.node}. `);
process.stdout.write('The story with pictures, and which lock to use when: docs/guide.md\n');

if (values.record !== undefined) {
  const figures = Object.assign({}, ...rows.map(([, , outcome]) => outcome.figures ?? {}));
  for (const [file, svg] of Object.entries(plots(figures))) writeFileSync(`${values.record}/${file}`, svg);
  writeFileSync(`${values.record}/figures.json`, `${JSON.stringify(figures, undefined, 1)}\n`);
}

async function settled(step: Step, tempo: Tempo): Promise<PromiseSettledResult<Outcome>> {
  const [played] = await Promise.allSettled([play(step, tempo)]);
  return played;
}

async function play(step: Step, tempo: Tempo): Promise<Outcome> {
  const stage = await Stage.open(tempo);
  try {
    return await step.play(stage);
  } finally {
    await stage.close();
  }
}
