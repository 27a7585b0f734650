// npm run versions -- [part of a row's name …]      all rows, or those whose name contains one of the parts
//
// The contract suite and core's tests on other versions of the server, of ioredis, of RESP and of Node. Prints a table of
// what was run. A row whose server or Node cannot be had here is left out with the reason. What fails is run once more,
// alone: on a busy machine a time limit may be missed; the table says so.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrivateRedis } from '../packages/testkit/src/redis/find.mjs';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';
import { nodeProgram } from './versions/nodes.mjs';
import { rows } from './versions/rows.mjs';
import { fullVersion, servers } from './versions/servers.mjs';

/** What is asked here is whether versions fit, not whether this machine is quick. */
const patienceMs = 60_000;
const resp2 = join(root, 'scripts/versions/resp2.cjs');
const folder = mkdtempSync(join(tmpdir(), 'holdfast-versions-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Core has no tests on ioredis 5: it knows only the commands that are sent. */
const suites = {
  6: {
    projects: ['core', 'holdfast'],
    paths: [
      'packages/core/test',
      'packages/holdfast/test/contract',
      'packages/holdfast/test/topology/slot-migration',
      // What a server refuses, and says of itself, it says in words of its own.
      'packages/holdfast/test/access/acl.test',
      'packages/holdfast/test/access/acl-pasted',
      'packages/holdfast/test/topology/mistaken',
    ],
  },
  5: { projects: ['holdfast on ioredis 5.4'], paths: ['packages/holdfast/test/contract'] },
};

/** What jest counted in one go, and the files with a failure. */
async function test({ node, args, env }) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const jest = [
    'node_modules/jest/bin/jest.js',
    '--ci',
    `--testTimeout=${patienceMs}`,
    '--json',
    `--outputFile=${report}`,
  ];
  const flags = ['--expose-gc', '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const code = await run(node, [...flags, ...jest, ...args], { env });
  if (code >= 128) process.exit(code); // ended by a signal that was meant for all of it
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  const failedFiles = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites, failedFiles };
}

async function runRow({ server, ioredis, resp, node }) {
  const program = servers[server].program();
  const nodePath = node === undefined ? process.execPath : nodeProgram(node);
  const claimed = {
    server: fullVersion(program),
    node: execFileSync(nodePath, ['--version'], { encoding: 'utf8' }).trim(),
  };
  const env = {
    ...process.env,
    REDIS_URL: '',
    REDIS_SERVER: program,
    HOLDFAST_SERVER: claimed.server,
    HOLDFAST_RESP: resp,
    HOLDFAST_NODE: claimed.node,
    ...(resp === '2' && ioredis === '6' ? { NODE_OPTIONS: `--require ${resp2}` } : {}),
  };
  process.stdout.write(`\n== ${claimed.server}, ioredis ${ioredis}, RESP${resp}, Node ${claimed.node}\n`);
  const { projects, paths } = suites[ioredis];
  const select = ['--selectProjects', ...projects];
  const first = await test({ node: nodePath, args: [...select, '--testPathPatterns', ...paths], env });
  const versions = [claimed.server, ioredisVersion(ioredis), `RESP${resp}`, claimed.node];
  if (first.failed === 0) return { versions, result: `${first.passed} passed`, isGood: true };
  const failedOnes = [...select, '--runInBand', '--runTestsByPath', ...first.failedFiles];
  const again = await test({ node: nodePath, args: failedOnes, env });
  const alone = again.failed === 0 ? 'passed when run again alone' : `${again.failed} failed again when run alone`;
  return { versions, result: `${first.passed} passed, ${first.failed} failed: ${alone}`, isGood: again.failed === 0 };
}

function ioredisVersion(major) {
  const name = major === '5' ? 'ioredis5' : 'ioredis';
  return JSON.parse(readFileSync(join(root, 'packages/holdfast/node_modules', name, 'package.json'), 'utf8')).version;
}

await prepare();
await (await findPrivateRedis()).stop();
const wanted = process.argv.slice(2);
const chosen = rows.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
const table = [];
for (const row of chosen) {
  try {
    table.push(await runRow(row));
  } catch (error) {
    process.stdout.write(`-- not run: ${row.name}: ${error.message.split('\n')[0]}\n`);
  }
}
const date = new Date().toISOString().slice(0, 10);
process.stdout.write('\n| server | ioredis | RESP | Node | result | date |\n|---|---|---|---|---|---|\n');
for (const { versions, result } of table) process.stdout.write(`| ${[...versions, result, date].join(' | ')} |\n`);
process.exitCode = table.length > 0 && table.every(({ isGood }) => isGood) ? 0 : 1;
