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
import { checkShortStores } from './ci/stores.mjs';
import { besideEachOther, command, Tally, tool } from './ci/step.mjs';
import { runTests } from './ci/tests.mjs';
import { root } from './run.mjs';

const tally = new Tally();
const temporary = mkdtempSync(join(tmpdir(), 'holdfast-ci-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));

async function smoke(tarball) {
  const redis = await findPrivateRedis();
  try {
    for (const ioredis of ioredisVersions) {
      const folder = join(temporary, `ioredis-${ioredis}`);
      const made = await tally.check(`a project on ioredis ${ioredis}: npm install, tsc`, () =>
        installConsumer({ folder, tarball, ioredis }),
      );
      if (!made) continue;
      for (const [program, what] of Object.entries(programs)) {
        await tally.check(`the tarball on ioredis ${ioredis}: ${what}`, () =>
          runConsumer({ folder, program, redisUrl: redis.url }),
        );
      }
    }
    await checkLoaders(redis.url);
  } finally {
    await redis.stop();
  }
}

/** In the project on the newest ioredis, which has one of everything that loads packages. */
async function checkLoaders(redisUrl) {
  const folder = join(temporary, `ioredis-${ioredisVersions.at(-1)}`);
  if (!(await tally.check('npm install of what loads packages', () => installLoaders(folder)))) return;
  for (const [loader, load] of Object.entries(loaders)) {
    await tally.check(`the tarball is loaded by ${loader}`, () => load({ folder, redisUrl }));
  }
}

async function smokeInDocker() {
  const name = 'the tarball against Redis in Docker';
  if (!dockerAnswers(process.env)) return tally.skip(name, 'no Docker engine answers');
  let redis;
  try {
    redis = await startInDocker({ env: process.env });
  } catch (error) {
    return tally.skip(name, `the engine could not start Redis: ${error.message.split('\n')[0]}`);
  }
  try {
    const folder = join(temporary, `ioredis-${ioredisVersions.at(-1)}`);
    await tally.check(`${name} (${redis.how})`, () => runConsumer({ folder, program: 'esm.mjs', redisUrl: redis.url }));
  } finally {
    await redis.stop();
  }
}

async function checkPackages() {
  if (!(await tally.check('build', build))) return;
  let tarball;
  if (!(await tally.check('pack', async () => (tarball = await pack(join(temporary, 'tarball')))))) return;
  await tally.check('publint and attw', () => checkTarball(tarball));
  await tally.check('the size of a bundle', () => checkSize(tarball, temporary));
  await tally.check('npm run packed -- --short: what a build can break', () =>
    command('npm', ['run', '--silent', 'packed', '--', '--short', '--tarball', tarball], { limitMs: 5 * 60_000 }),
  );
  await smoke(tarball);
  await smokeInDocker();
  for (const name of integrations) await checkIntegration(name, tarball);
  await npmRun('api', 'each entry point exports what its report says');
}

async function checkIntegration(name, holdfast) {
  await tally.check(`@holdfast/${name}: build, pack, publint, attw; loaded as ESM and CommonJS`, async () => {
    const tarball = await packIntegration(name, join(temporary, name));
    await loadIntegration(name, { tarball, holdfast, folder: join(temporary, `with-${name}`) });
  });
}

const npmRun = (name, what, args = [], limitMs = 180_000) => {
  const rest = args.length === 0 ? [] : ['--', ...args];
  return tally.check(`npm run ${[name, ...rest].join(' ')}: ${what}`, () =>
    command('npm', ['run', '--silent', name, ...rest], { limitMs }),
  );
};

/** What reads the code, and the models of the protocol. */
async function checkSources() {
  await tally.check('lint', () => tool('oxlint', []));
  await tally.check('format', () => tool('biome', ['format', '.']));
  await npmRun('cycles', 'boundaries and cycles');
  await tally.check('generated code is fresh', () =>
    command(process.execPath, [join(root, 'scripts/gen-lua.mjs'), '--check']),
  );
  await npmRun('mutants', 'they still apply', ['--check']);
  await npmRun('docs', 'no link is broken, all that is exported is documented', ['--check']);
  await checkSpec(tally);
  await checkReferee(tally);
}

/** One of each kind: what the others do is their own business, and one of them stands still for minutes. */
const peersInShort = 'notify-and-retry,redlock 5 beta,floor: SET NX,floor: our scripts';

async function checkGrowthAndCosts() {
  await npmRun('long', 'nothing grows', [], 6 * 60_000);
  await npmRun('bench', 'exact numbers of commands', ['--short', '--peers', peersInShort], 6 * 60_000);
  await npmRun('soak', 'nothing lost, nothing left', ['--short'], 3 * 60_000);
}

async function checkUnderFaults() {
  await npmRun('demo', 'nothing is lost', ['--transfers', '300']);
  await npmRun('evolution', 'each flaw comes about, each cure cures it', ['--short']);
  await npmRun('faults', 'nothing violated under faults', ['--short'], 5 * 60_000);
}

try {
  await runTests(tally, temporary);
  // Before the builds, which go on from what it makes.
  await tally.check('types', checkTypes);
  // Two rows at a time, which is what two cores can do: none of these measures time.
  await besideEachOther(checkSources, checkPackages);
  await besideEachOther(checkGrowthAndCosts, async () => {
    await checkInterop(tally);
    await checkShortStores(tally);
    await checkUnderFaults();
  });
} catch (error) {
  tally.fail(error.stack ?? String(error));
} finally {
  tally.report();
  process.exitCode = tally.failed === 0 ? 0 : 1;
}
