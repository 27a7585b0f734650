// npm run simulate -- --mutant [numbers | client | scripts | all | known] [--minutes n] [--class name] [--with kind] [--temper name]: does the simulation find planted bugs? Each patch of
// mutants/ is applied to a copy of the repository, bundled, and simulated until a promise is broken: one of a script on servers that execute Lua, with
// the modules of scripts made anew. `known`: each in the worlds of worlds.mjs. Without a word: those of the client.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyRepository } from '../mutants/copy.mjs';
import { patch, readMutants } from '../mutants/mutant.mjs';
import { bundle } from './bundle.mjs';
import { worlds as known } from './worlds.mjs';

const seed = 1;

const say = (line) => process.stdout.write(`${line}\n`);

function simulate(file, copy, { minutes, beside }) {
  const args = [
    file,
    ...beside,
    '--seed',
    String(seed),
    '--minutes',
    String(minutes),
    '--until-violation',
    '--no-show',
  ];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let complained = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (complained += text));
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve({ said, complained }));
  });
}

/** Puts the scripts as they are now into the modules that the bundle is made of. */
function generate(copy) {
  const { status, stderr } = spawnSync(process.execPath, [join(copy, 'scripts/gen-lua.mjs')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** What the servers of the simulation do not know is no answer of a script: the mutant is neither found nor missed. */
function notUnderstood(complained) {
  return /UnknownToLua: .*/.exec(complained)?.[0];
}

async function verdictOn(mutant, copy, how) {
  patch(mutant, copy);
  const startedAt = performance.now();
  try {
    const file = join(copy, 'packages/simulation/node_modules/.cache/simulate.mjs');
    if (mutant.lua) generate(copy);
    await bundle(copy, file);
    const beside = [...how.beside, ...(mutant.lua ? ['--lua'] : [])];
    const { said, complained } = await simulate(file, copy, { ...how, beside });
    const unknown = notUnderstood(complained);
    if (unknown !== undefined) return { kind: 'unknown', finding: unknown, ms: performance.now() - startedAt };
    const [, worlds, holds] =
      / ([\d,]+) worlds, ([\d,]+) holds/.exec(said.split('\n').findLast((line) => line.includes(' worlds, ')) ?? '') ??
      [];
    const [, finding] = /^VIOLATED (.*)$/m.exec(said) ?? [];
    const crashed = finding === undefined && !said.includes('nothing violated');
    return {
      kind: finding !== undefined || crashed ? 'found' : 'missed',
      finding: finding ?? (crashed ? 'the process ended' : ''),
      worlds,
      holds,
      ms: performance.now() - startedAt,
    };
  } catch (error) {
    return { kind: 'broken', finding: error.message.split('\n')[0], ms: performance.now() - startedAt };
  } finally {
    patch(mutant, copy, ['--reverse']);
    if (mutant.lua) generate(copy);
  }
}

/** What a run says of a mutant, and its table; `unknown`: see {@link notUnderstood}. `broken`: it could not be tried. */
const words = {
  found: { said: 'found ', inTable: ({ finding }) => finding.split(' in a ')[0] },
  missed: { said: 'MISSED', inTable: () => 'not found' },
  unknown: { said: 'NOT UNDERSTOOD', inTable: ({ finding }) => `not understood: ${finding}` },
  broken: { said: 'NOT TRIED', inTable: () => 'not tried' },
};

/** Those of these numbers, or of these kinds. */
function chosen(wanted) {
  const groups = { client: ({ lua }) => !lua, scripts: ({ lua }) => lua, all: () => true };
  const isWanted = (mutant) => wanted.some((word) => groups[word]?.(mutant) ?? word === mutant.number);
  return readMutants().filter(isWanted);
}

/** By the options of their worlds: those of the list, or all that are wanted in the worlds of these options. */
function plans(wanted, options) {
  if (!wanted.includes('known')) return [[options, chosen(wanted.length === 0 ? ['client'] : wanted)]];
  return Object.entries(known).map(([beside, numbers]) => [beside, chosen(numbers.split(' '))]);
}

const row = (cells) => `| ${cells.join(' | ')} |`;

const head = [
  row(['mutant', 'worlds', 'found as', 'after worlds', 'after holds', 's']),
  row(['---', '---', '---', '--:', '--:', '--:']),
];
const byNumber = (a, b) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b));
const kinds = ['class', 'with', 'temper'];

/** @param {string[]} args */
export async function findMutants(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '1' },
      ...Object.fromEntries(kinds.map((name) => [name, { type: 'string' }])),
    },
  });
  const options = kinds.flatMap((name) => (values[name] === undefined ? [] : [`--${name} ${values[name]}`])).join(' ');
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-simulation-'));
  const copy = join(folder, 'holdfast');
  const rows = [];
  const counts = { found: 0, missed: 0, unknown: 0, broken: 0 };
  try {
    copyRepository(copy);
    for (const [beside, mutants] of plans(positionals, options)) {
      const how = { minutes: Number(values.minutes), beside: beside.split(' ').filter(Boolean) };
      for (const mutant of mutants) {
        const verdict = await verdictOn(mutant, copy, how);
        const { kind, finding, worlds: tried = '', holds = '', ms } = verdict;
        const { said, inTable } = words[kind];
        const seconds = (ms / 1_000).toFixed(0);
        counts[kind]++;
        say(`${said} ${mutant.name} (${seconds} s, ${tried} worlds, ${holds} holds) ${finding.slice(0, 120)}`);
        rows.push(row([mutant.name, beside, inTable(verdict), tried, holds, seconds]));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say(`\n${[...head, ...rows.sort(byNumber)].join('\n')}`);
  const { found, missed, unknown, broken } = counts;
  const others = [
    ...(unknown > 0 ? [`${unknown} not understood`] : []),
    ...(broken > 0 ? [`${broken} not tried`] : []),
  ];
  say(`\n${[`${found} found`, `${missed} missed`, ...others].join(', ')}`);
  return found > 0;
}
