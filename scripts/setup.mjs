// npm run setup: installs the workspace, and nothing else. Commands that begin with `node scripts/` do so themselves where they need it.
import { prepare } from './prepare.mjs';

try {
  await prepare();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
