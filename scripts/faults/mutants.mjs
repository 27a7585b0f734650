// npm run faults -- --mutants [numbers]: does the fault suite find planted bugs? Each patch of mutants/ is applied to a copy of the repository,
// and the suite runs there, on one server, for a minute at most. Ends with "N found, N missed"; exit code 1 when fewer are found than the
// suite is known to find.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyRepository } from '../mutants/copy.mjs';
import { patch, readMutants } from '../mutants/mutant.mjs';

/**
 * Bugs that break exclusion, leave ghosts or lose wake-ups, in the scripts, in the deadlines and inside the process; from 130 on in tokens and guards,
 * in read-write locks, in locks by majority, and in elections.
 */
const chosen = ['02', '12', '17', '21', '22', '23', '26', '35', '56', '58', '91', '137', '144', '160', '161', '175'];
/** How many of the chosen ones have to be found: some need a fault at just the right moment. */
const leastFound = 14;
const seed = 1;
const limitMs = 150_000; // bundling and starting included

const say = (line) => process.stdout.write(`${line}\n`);

/** Bugs of latches and semaphores. */
const ofWhatCounts = new Set(['170', '171', '172', '173', '174', '213', '214', '215']);

/** Where a bug of this number can show. */
function placeOf(number) {
  if (Number(number) >= 160 && Number(number) < 170) return ['--topology', 'majority'];
  const workload = (ofWhatCounts.has(number) && 'permits') || (Number(number) >= 130 && 'family') || 'all';
  return ['--topology', 'single', '--workload', workload];
}

/** Runs the suite in the copy. Answers with its exit code and what it said. */
function suite(copy, place, minutes) {
  const words = [...place, '--class', 'crash-and-network', '--epoch-seconds', '12', '--until-violation'];
  const args = [join(copy, 'scripts/faults.mjs'), ...words, '--seed', String(seed), '--minutes', String(minutes)];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  const limit = setTimeout(() => child.kill('SIGTERM'), limitMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, said }));
  }).finally(() => clearTimeout(limit));
}

function generate(copy) {
  const child = spawn(process.execPath, [join(copy, 'scripts/gen-lua.mjs')], { cwd: copy, stdio: 'ignore' });
  return new Promise((resolve) => child.once('close', resolve));
}

/** The first line that says what is wrong. */
const firstFinding = (said) => /^ {4}(?!again:|histories:)(.*)$/m.exec(said)?.[1] ?? '';

async function verdictOn(mutant, copy) {
  patch(mutant, copy);
  try {
    if (mutant.lua) await generate(copy);
    const startedAt = performance.now();
    const { code, said } = await suite(copy, placeOf(mutant.number), 1);
    return { found: code === 1 && said.includes('VIOLATED'), said, ms: performance.now() - startedAt };
  } finally {
    patch(mutant, copy, ['--reverse']);
    if (mutant.lua) await generate(copy);
  }
}

/** @param {string[]} numbers which mutants; none: the chosen ones */
export async function findMutants(numbers) {
  const wanted = numbers.length === 0 ? chosen : numbers;
  const mutants = readMutants().filter(({ number }) => wanted.includes(number));
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-faults-'));
  const copy = join(folder, 'holdfast');
  let found = 0;
  try {
    copyRepository(copy);
    const { code, said } = await suite(copy, placeOf('1'), 1);
    if (code !== 0) throw new Error(`the suite fails on the unbroken code:\n${said}`);
    for (const mutant of mutants) {
      const verdict = await verdictOn(mutant, copy);
      if (verdict.found) found++;
      const word = verdict.found ? 'found ' : 'MISSED';
      say(`${word} ${mutant.name} (${(verdict.ms / 1_000).toFixed(0)} s) ${firstFinding(verdict.said).slice(0, 140)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say(`${found} found, ${mutants.length - found} missed`);
  return found >= Math.min(leastFound, mutants.length);
}
