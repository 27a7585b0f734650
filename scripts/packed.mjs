// npm run packed                     the contract and the code in the documents, on what is published: ESM, CommonJS and minified
// npm run packed -- --short          what a build can break
// npm run packed -- [--tarball FILE] [--form NAME] [jest arguments]
//
// The tests are those of packages/holdfast; `holdfast` is the packed tarball, in these tests and in the processes that they start.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, pack } from './ci/packages.mjs';
import { formNames, makeForm } from './packed/forms.mjs';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

const everything = { contract: '', documents: formNames };
/**
 * A build renames classes, moves frames in stacks, makes a module twice, and drops what it takes for unused. These look at what depends on that:
 * exports and names; scopes, which copies share; sites, channels and events; waiting without a queue. The code in the documents starts a process for each
 * block, so one form of it has to do.
 */
const breakable = { contract: '(api|diagnosis|reports|scopes|redisson-mode)', documents: ['ESM'] };

const { values, tokens } = parseArgs({
  options: { short: { type: 'boolean' }, tarball: { type: 'string' }, form: { type: 'string', multiple: true } },
  strict: false,
  tokens: true,
});
const jestArguments = tokens
  .filter(
    ({ kind, name }) => kind === 'positional' || (kind === 'option' && !['short', 'tarball', 'form'].includes(name)),
  )
  .map(({ rawName, value }) => rawName ?? value);

const temporary = mkdtempSync(join(tmpdir(), 'holdfast-packed-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));

async function freshTarball() {
  await build();
  return pack(temporary);
}

try {
  await prepare();
  const forms = values.form ?? formNames;
  const tarball = values.tarball ?? (await freshTarball());
  for (const form of forms) await makeForm(form, tarball);
  const flags = ['--expose-gc', '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const chosen = values.short ? breakable : everything;
  const documents = `packed-(${chosen.documents.join('|')})/test/docs/code-blocks`;
  process.exitCode = await run(
    process.execPath,
    [
      ...[...flags, join(root, 'node_modules/jest/bin/jest.js')],
      ...['--selectProjects', ...forms.map((form) => `packed ${form}`)],
      ...(jestArguments.length > 0
        ? jestArguments
        : ['--testPathPatterns', `/test/contract/${chosen.contract}`, documents]),
    ],
    { env: { ...process.env, HOLDFAST_PACKED: forms.join() } },
  );
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
