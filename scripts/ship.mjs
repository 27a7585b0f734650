// What goes into the package beside its code, made after each build: documents whose links lead somewhere, and the licences of what is bundled.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run.mjs';
import { baseOf, relink, shipped } from './ship/documents.mjs';

const folder = join(root, 'packages/holdfast');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

function writeDocuments() {
  const base = baseOf(readJson(join(folder, 'package.json')));
  for (const made of ['docs', 'examples']) rmSync(join(folder, made), { recursive: true, force: true });
  for (const file of shipped) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, relink(file, readFileSync(join(root, file), 'utf8'), base));
  }
}

/** Folders of the packages whose code is in the bundle, as the bundler lists them. */
function bundled() {
  const { inputs } = readJson(join(folder, 'dist/metafile-esm.json'));
  const found = Object.keys(inputs).map((path) => /^(.*node_modules\/(?!\.pnpm\/)[^/]+)\//.exec(path)?.[1]);
  return [...new Set(found.filter((path) => path !== undefined))].map((path) => join(folder, path));
}

function writeLicences() {
  const texts = bundled().map((path) => {
    const { name, version } = readJson(join(path, 'package.json'));
    return `${name} ${version}\n\n${readFileSync(join(path, 'LICENSE'), 'utf8').trim()}\n`;
  });
  if (texts.length === 0) throw new Error('nothing is bundled, says the build: then no licences are needed');
  const about = 'Code of these packages is part of holdfast:\n';
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), [about, ...texts].join(`\n${'-'.repeat(80)}\n\n`));
}

writeDocuments();
writeLicences();
