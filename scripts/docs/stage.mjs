// The documents of the repository as pages of the site: where each is to be found, and its links changed so that they lead there.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from '../run.mjs';
import { relinked } from '../ship/documents.mjs';
import { homePage } from './home.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');
const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => posix.join(folder, file));

/** Pages from outside of docs/, by their place in the repository. */
const others = {
  'README.md': 'index.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'threats.md',
  'spec/README.md': 'models.md',
  'packages/safety/README.md': 'checkers.md',
};

/** Place on the site, by place in the repository. */
function places() {
  const docs = filesIn('docs')
    .filter((file) => file.endsWith('.md'))
    .toSorted((one, other) => (one < other ? -1 : 1));
  // Not all files below: what is installed there leads around in circles.
  const examples = readdirSync(join(root, 'examples'))
    .map((name) => `examples/${name}/README.md`)
    .filter((file) => existsSync(join(root, file)));
  return new Map([
    ...Object.entries(others),
    ...docs.map((file) => [file, file.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')]),
    ...examples.map((file) => [file, file.replace('/README.md', '.md')]),
  ]);
}

const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1] ?? '';

/** The address of a page: `recipes/index.md` is `/recipes/`. */
export const addressOf = (place) => `/${place.replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')}`;

/**
 * Writes all pages, and the pictures on them.
 *
 * @param {string} folder for them
 * @returns {{ place: string, title: string }[]} all of them
 */
export function stage(folder) {
  const known = places();
  const write = (place, text) => {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    writeFileSync(join(folder, place), text);
  };
  for (const file of filesIn('docs').filter((name) => name.endsWith('.svg') || name.endsWith('.png'))) {
    const place = join(folder, file.replace(/^docs\//, ''));
    mkdirSync(dirname(place), { recursive: true });
    copyFileSync(join(root, file), place);
  }
  const staged = [];
  for (const [file, place] of known) {
    const source = read(file);
    const text = relinked(file, source, (target, anchor) => leadTo(known, target, anchor));
    write(place, place === 'index.md' ? homePage(text) : text);
    staged.push({ place, title: titleOf(source) });
  }
  return staged;
}

/** Undefined for what is in the repository alone: there is no address of it. */
function leadTo(known, target, anchor) {
  if (target.startsWith('docs/') && /\.(svg|png)$/.test(target)) return target.replace(/^docs/, '');
  const place = known.get(target);
  return place === undefined ? undefined : `${addressOf(place)}${anchor}`;
}
