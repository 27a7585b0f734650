// npm run demo -- [--transfers N] [--no-locks] [--workers N]
//
// The ledger example, from nothing: installs the workspace, finds or starts a Redis, runs examples/ledger.
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

const demo = [
  process.execPath,
  '--conditions=@holdfast/source',
  '--import',
  'tsx',
  'examples/ledger/main.ts',
  ...process.argv.slice(2),
];

try {
  await prepare();
  process.exitCode = await run(process.execPath, [`${root}/scripts/with-redis.mjs`, '--', ...demo]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
