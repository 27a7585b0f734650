// Everything a change must pass; see .ci/run. Ends with the line "N passed, N failed" and exit code 1 unless all passed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrivateRedis } from '../packages/testkit/src/redis/find.mjs';
import { dockerAnswers, startInDocker } from '../packages/testkit/src/redis/docker.mjs';
import { build, checkTarball, checkTypes, pack } from './ci/packages.mjs';
import { integrations, loadIntegration, packIntegration } from './ci/integrations.mjs';
import { installLoaders, loaders } from './ci/loaders.mjs';
import { installConsumer, ioredisVersions, programs, runConsumer } from './ci/smoke.mjs';
import { checkInterop } from './ci/interop.mjs';
import { checkSize } from './ci/size.mjs';
import { checkSpec } from './ci/spec.mjs';
import { checkReferee } from './ci/referee.mjs';
import { checkOtherRuntimes } from './ci/runtimes.mjs';
import { checkShortStores } from './ci/stores.mjs';
import { Lanes } from './ci/lanes.mjs';
import { command, Tally, tool } from './ci/step.mjs';
import { runTests } from './ci/tests.mjs';
import { root } from './run.mjs';

const tally = new Tally();
const temporary = mkdtempSync(join(tmpdir(), 'holdfast-ci-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
const projectOn = (ioredis) => join(temporary, `ioredis-${ioredis}`);

/** The tarball in a project of a user's, on one ioredis. */
async function smoke(ioredis, tarball) {
  const folder = projectOn(ioredis);
  const made = await tally.check(`a project on ioredis ${ioredis}: npm install, tsc`, () =>
    installConsumer({ folder, tarball, ioredis }),
  );
  if (!made) return;
  const redis = await findPrivateRedis();
  try {
    for (const [program, what] of Object.entries(programs)) {
      await tally.check(`the tarball on ioredis ${ioredis}: ${what}`, () =>
        runConsumer({ folder, program, redisUrl: redis.url }),
      );
    }
    if (ioredis !== ioredisVersions.at(-1)) return;
    await checkLoaders(folder, redis.url);
    await smokeInDocker(folder);
  } finally {
    await redis.stop();
  }
}

/** In the project on the newest ioredis, which has one of everything that loads packages. */
async function checkLoaders(folder, redisUrl) {
  if (!(await tally.check('npm install of what loads packages', () => installLoaders(folder)))) return;
  for (const [loader, load] of Object.entries(loaders)) {
    await tally.check(`the tarball is loaded by ${loader}`, () => load({ folder, redisUrl }));
  }
}

async function smokeInDocker(folder) {
  const name = 'the tarball against Redis in Docker';
  if (!dockerAnswers(process.env)) return tally.skip(name, 'no Docker engine answers');
  let redis;
  try {
    redis = await startInDocker({ env: process.env });
  } catch (error) {
    return tally.skip(name, `the engine could not start Redis: ${error.message.split('\n')[0]}`);
  }
  try {
    await tally.check(`${name} (${redis.how})`, () => runConsumer({ folder, program: 'esm.mjs', redisUrl: redis.url }));
  } finally {
    await redis.stop();
  }
}

/** @returns {Promise<string | undefined>} the tarball */
async function makePackage() {
  // Before the builds, which go on from what it makes.
  await tally.check('types', checkTypes);
  if (!(await tally.check('build', build))) return undefined;
  let tarball;
  await tally.check('pack', async () => (tarball = await pack(join(temporary, 'tarball'))));
  return tarball;
}

const packageChecks = (tarball) => [
  () =>
    tally.check('npm run packed -- --short: what a build can break', () =>
      command('npm', ['run', '--silent', 'packed', '--', '--short', '--tarball', tarball]),
    ),
  ...ioredisVersions.map((ioredis) => () => smoke(ioredis, tarball)),
  () => checkOtherRuntimes(tally, { tarball, folder: join(temporary, 'runtimes') }),
  ...integrations.map((name) => () => checkIntegration(name, tarball)),
  async () => {
    await tally.check('publint and attw', () => checkTarball(tarball));
    await tally.check('the size of a bundle', () => checkSize(tarball, temporary));
    await npmRun('api', 'each entry point exports what its report says');
  },
];

async function checkIntegration(name, holdfast) {
  await tally.check(`@holdfast/${name}: build, pack, publint, attw; loaded as ESM and CommonJS`, async () => {
    const tarball = await packIntegration(name, join(temporary, name));
    await loadIntegration(name, { tarball, holdfast, folder: join(temporary, `with-${name}`) });
  });
}

const npmRun = (name, what, args = []) => {
  const rest = args.length === 0 ? [] : ['--', ...args];
  return tally.check(`npm run ${[name, ...rest].join(' ')}: ${what}`, () =>
    command('npm', ['run', '--silent', name, ...rest]),
  );
};

async function checkSources() {
  await tally.check('lint', () => tool('oxlint', []));
  await tally.check('format', () => tool('biome', ['format', '.']));
  await npmRun('cycles', 'boundaries and cycles');
  await tally.check('generated code is fresh', () =>
    command(process.execPath, [join(root, 'scripts/gen-lua.mjs'), '--check']),
  );
  await npmRun('mutants', 'they still apply', ['--check']);
}

/** One of each kind: what the others do is their own business, and one of them stands still for minutes. */
const peersInShort = 'notify-and-retry,redlock 5 beta,acquire,tryLock,floor: SET NX,floor: our scripts';

/** The longest first. */
const otherChecks = [
  () => checkInterop(tally),
  () => checkSpec(tally),
  () => npmRun('long', 'nothing grows'),
  () => npmRun('faults', 'nothing violated under faults', ['--short']),
  checkSources,
  () => npmRun('bench', 'exact numbers of commands', ['--short', '--peers', peersInShort]),
  () => npmRun('soak', 'nothing lost, nothing left', ['--short']),
  () => npmRun('docs', 'no link is broken, all that is exported is documented', ['--check']),
  () => checkShortStores(tally),
  () => npmRun('demo', 'nothing is lost', ['--transfers', '300']),
  () => npmRun('evolution', 'each flaw comes about, each cure cures it', ['--short']),
  () => checkReferee(tally),
];

/** One more than two cores can do, because each waits now and then; what is measured here are counts, not times. */
const lanes = new Lanes(3);

async function checkPackage() {
  const tarball = await lanes.run(makePackage);
  if (tarball !== undefined) await Promise.all(packageChecks(tarball).map((check) => lanes.runUrgent(check)));
}

try {
  await runTests(tally, temporary);
  await Promise.all([checkPackage(), ...otherChecks.map((check) => lanes.run(check))]);
} catch (error) {
  tally.fail(error.stack ?? String(error));
} finally {
  tally.report();
  process.exitCode = tally.failed === 0 ? 0 : 1;
}
