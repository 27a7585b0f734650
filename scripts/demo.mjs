// npm run demo -- [--transfers N] [--no-locks] [--workers N]
// npm run fencing
// npm run election
// npm run evolution
//
// An example, from nothing: installs the workspace, finds or starts a Redis, runs examples/ledger, or the example that is named first.
import { prepare } from './prepare.mjs';
import { ofSource, root, run } from './run.mjs';

const [named, ...rest] = process.argv.slice(2);
const others = ['fencing', 'election', 'evolution'];
const [example, args] = others.includes(named) ? [named, rest] : ['ledger', process.argv.slice(2)];
const demo = [process.execPath, ...ofSource(`examples/${example}/main.ts`), ...args];

try {
  await prepare();
  process.exitCode = await run(process.execPath, [`${root}/scripts/with-redis.mjs`, '--', ...demo]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
