// npm run api                 is the public API of each entry point still the one of its report, packages/*/api/*.api.md?
// npm run api -- --update     writes the reports, for a change that is meant
//
// Reads the built declarations, so `npm run build` comes first. A change of a signature is then seen in a review as what it is for users.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { makeReports } from './api/reports.mjs';
import { prepare } from './prepare.mjs';
import { published } from './release/packages.mjs';
import { root, run } from './run.mjs';

const { values } = parseArgs({ options: { update: { type: 'boolean', default: false } } });

const typed = (manifest) =>
  Object.entries(manifest.publishConfig.exports).filter(([, target]) => target.import !== undefined);

/** The packages that lack declarations. */
const unbuilt = () =>
  published.filter(({ folder, manifest }) =>
    typed(manifest).some(
      ([, target]) => ![target.import, target.require].every(({ types }) => existsSync(join(folder, types))),
    ),
  );

const load = createRequire(import.meta.url);

/** What declarations say that there is at run time: no mere type. */
const valuesOf = (declarations) =>
  [...declarations.matchAll(/^export \{(.+)\};$/gm)]
    .flatMap(([, names]) => names.split(',').map((name) => name.trim()))
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(' as ').at(-1));

/** Each way to import something of a package: its name there, and its declarations. */
function entriesOf({ folder, manifest }) {
  return typed(manifest).map(([path, target]) => {
    const [imported, declarations] = [join(manifest.name, path), target.import.types];
    const [forEsm, forCommonJs] = [declarations, target.require.types].map((types) =>
      readFileSync(join(folder, types), 'utf8'),
    );
    if (forEsm !== forCommonJs) throw new Error(`${imported} declares other things for ESM than for CommonJS`);
    const missing = valuesOf(forCommonJs).filter((name) => !(name in load(join(folder, target.require.default))));
    if (missing.length > 0) throw new Error(`${imported} declares values that it has not: ${missing.join(', ')}`);
    return { folder, imported, declarations, name: path === '.' ? 'index' : path.slice('./'.length) };
  });
}

const reportOf = ({ folder, name }) => join(folder, 'api', `${name}.api.md`);

function update({ entry, text }) {
  const report = reportOf(entry);
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(report, text);
}

/** Says what differs. */
async function tell({ entry, made }) {
  const report = reportOf(entry);
  process.stderr.write(`The public API of ${entry.imported} is not the one of ${relative(root, report)}:\n`);
  if (existsSync(report)) await run('git', ['--no-pager', 'diff', '--no-index', report, made]);
}

/** Reports of what is not exported any more. */
function leftOver(entries) {
  const known = entries.map(reportOf);
  const folders = published.map(({ folder }) => join(folder, 'api')).filter(existsSync);
  const found = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  return found.filter((file) => !known.includes(file));
}

await prepare();
const missing = unbuilt().map(({ manifest }) => manifest.name);
if (missing.length > 0) {
  process.stderr.write(`Not built: ${missing.join(', ')}. First: npm run build\n`);
  process.exit(1);
}
const entries = published.flatMap(entriesOf);
const differing = makeReports(entries, join(root, '.tmp/api')).filter(
  ({ entry, text }) => !existsSync(reportOf(entry)) || readFileSync(reportOf(entry), 'utf8') !== text,
);
const stale = leftOver(entries);
if (values.update) {
  for (const report of differing) update(report);
  for (const file of stale) rmSync(file);
} else if (differing.length + stale.length > 0) {
  for (const report of differing) await tell(report);
  for (const file of stale) process.stderr.write(`${relative(root, file)} is of nothing that is exported.\n`);
  process.stderr.write('If that is meant: npm run api -- --update, look at what it changed, and commit it.\n');
  process.exitCode = 1;
}
