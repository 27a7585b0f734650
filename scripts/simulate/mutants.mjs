// npm run simulate -- --mutant [numbers | all] [--minutes n] [--with kind]: does the simulation find planted bugs? Each patch of mutants/ that changes
// the client is applied to a copy of the repository, bundled, and simulated until a promise is broken. Scripts in Lua are not executed here.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyRepository } from '../mutants/copy.mjs';
import { patch, readMutants } from '../mutants/mutant.mjs';
import { bundle } from './bundle.mjs';

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
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, said }));
  });
}

async function verdictOn(mutant, copy, how) {
  patch(mutant, copy);
  const startedAt = performance.now();
  try {
    const file = join(copy, 'packages/simulation/node_modules/.cache/simulate.mjs');
    await bundle(copy, file);
    const { said } = await simulate(file, copy, how);
    const [, worlds, holds] =
      / ([\d,]+) worlds, ([\d,]+) holds/.exec(said.split('\n').findLast((line) => line.includes(' worlds, ')) ?? '') ??
      [];
    const [, finding] = /^VIOLATED (.*)$/m.exec(said) ?? [];
    const crashed = finding === undefined && !said.includes('nothing violated');
    return {
      found: finding !== undefined || crashed,
      finding: finding ?? (crashed ? 'the process ended' : ''),
      worlds,
      holds,
      ms: performance.now() - startedAt,
    };
  } catch (error) {
    return { found: false, finding: error.message.split('\n')[0], ms: performance.now() - startedAt };
  } finally {
    patch(mutant, copy, ['--reverse']);
  }
}

const row = (cells) => `| ${cells.join(' | ')} |`;

/** @param {string[]} words */
export async function findMutants(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { minutes: { type: 'string', default: '1' }, with: { type: 'string' } },
  });
  const how = { minutes: Number(values.minutes), beside: values.with === undefined ? [] : ['--with', values.with] };
  const numbers = positionals.filter((word) => word !== 'all');
  const all = readMutants().filter(({ lua }) => !lua);
  const mutants = numbers.length === 0 ? all : all.filter(({ number }) => numbers.includes(number));
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-simulation-'));
  const copy = join(folder, 'holdfast');
  const rows = [];
  let found = 0;
  try {
    copyRepository(copy);
    for (const mutant of mutants) {
      const verdict = await verdictOn(mutant, copy, how);
      if (verdict.found) found++;
      const { finding, worlds = '', holds = '', ms } = verdict;
      say(
        `${verdict.found ? 'found ' : 'MISSED'} ${mutant.name} (${(ms / 1_000).toFixed(0)} s, ${worlds} worlds, ${holds} holds) ${finding.slice(0, 120)}`,
      );
      rows.push(
        row([mutant.name, mutant.rule, verdict.found ? finding.split(' in a ')[0] : 'not found', worlds, holds]),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say(
    `\n${[row(['mutant', 'rule that it breaks', 'found as', 'worlds', 'holds']), row(['---', '---', '---', '--:', '--:']), ...rows].join('\n')}`,
  );
  say(`\n${found} found, ${mutants.length - found} missed`);
  return found > 0;
}
