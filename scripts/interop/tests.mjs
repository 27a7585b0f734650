// The tests of packages/holdfast/test/interop, and a table of what they found.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from '../run.mjs';

/**
 * @param {string} classPath of the Java program
 * @param {{ isLong?: boolean }} [options] isLong: also what takes minutes, and more rounds of what is measured
 * @returns {Promise<boolean>} whether all passed
 */
export async function testInterop(classPath, { isLong = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-interop-'));
  const report = join(folder, 'jest.json');
  const figures = join(folder, 'figures.jsonl');
  const jest = [`${root}/node_modules/jest/bin/jest.js`, '--selectProjects', 'interop', '--verbose', '--runInBand'];
  const flags = ['--expose-gc', '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  try {
    const code = await run(process.execPath, [...flags, ...jest, '--json', `--outputFile=${report}`], {
      env: {
        ...process.env,
        HOLDFAST_INTEROP_CLASSPATH: classPath,
        HOLDFAST_INTEROP_FIGURES: figures,
        ...(isLong ? { HOLDFAST_INTEROP_LONG: '1' } : {}),
      },
      // The JSON goes to stdout as well, where nobody wants it.
      stdio: ['inherit', 'ignore', 'inherit'],
    });
    if (existsSync(report)) process.stdout.write(`\n${table([...groups(report), ...measured(figures)])}\n`);
    return code === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A row for each group of tests. */
function groups(report) {
  const counts = new Map();
  for (const { assertionResults } of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    for (const { ancestorTitles, status } of assertionResults) {
      const [where, what = 'in general'] = ancestorTitles;
      const key = JSON.stringify([where, what]);
      const { passed = 0, all = 0 } = counts.get(key) ?? {};
      counts.set(key, { passed: passed + (status === 'passed' ? 1 : 0), all: all + 1 });
    }
  }
  return [...counts].map(([key, { passed, all }]) => {
    const [where, what] = JSON.parse(key);
    return [where.replace(/^Java and Node on /, ''), what, `${passed} of ${all} tests passed`];
  });
}

function measured(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line)).map(({ where, what, value }) => [where, what, value]);
}

/** In Markdown, with columns that line up. */
function table(rows) {
  const all = [['on', 'what', 'result'], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = all.map(line);
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n');
}
