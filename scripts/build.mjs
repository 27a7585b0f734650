// npm run build: ESM, CommonJS and types of all that is published, its documents and licences. `npm run api` reads what it makes.
import { runPnpm } from './ci/packages.mjs';
import { tool } from './ci/step.mjs';
import { prepare } from './prepare.mjs';

try {
  await prepare();
  await tool('tsc', ['--build']);
  await runPnpm(['--reporter=append-only', '--loglevel=warn', '--recursive', 'run', 'build']);
} catch (error) {
  process.stderr.write(`The build failed: ${error.message}\n`);
  process.exitCode = 1;
}
