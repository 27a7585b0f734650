// Turns the .lua files of packages/core/src into TypeScript modules, so that nothing reads files at run time.
//
//   node scripts/gen-lua.mjs           writes the modules
//   node scripts/gen-lua.mjs --check   exits 1 when a committed module is stale
//
// A file with a KEYS line in its header is a script; the others are parts, pasted where a script says `--#include folder/part`.
// The scripts of one folder, which is one primitive, become the module scripts.gen.ts beside them; parts come from any folder.
// The names in the KEYS and ARGV lines become types and give the order of keys and arguments, so a header cannot drift.
//
// A script may be another one with other parts: `--#like lock/release`, and for each part `--#with fenced/own for lock/own`.
//
// Parts become constants of the module parts.gen.ts, and a script is put together from them when it is first needed: what many scripts
// share is once in the bundle of a user.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const sources = new URL('../packages/core/src/', import.meta.url);

const folders = readdirSync(sources, { withFileTypes: true })
  .filter((dirent) => dirent.isDirectory())
  .map((dirent) => dirent.name)
  .sort();

/** Text by `folder/name`. */
const files = new Map(
  folders.flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, sources))
      .filter((file) => file.endsWith('.lua'))
      .sort()
      .map((file) => [
        `${folder}/${file.slice(0, -'.lua'.length)}`,
        readFileSync(new URL(`${folder}/${file}`, sources), 'utf8'),
      ]),
  ),
);

const INCLUDE = /^[ \t]*--#include (\S+)$/gm;
const LIKE = /^--#like (\S+)$/m;
const WITH = /^--#with (\S+) for (\S+)$/gm;

function read(path) {
  const text = files.get(path);
  if (text === undefined) throw new Error(`no such part: ${path}.lua`);
  return text;
}

/** The script that `path` is like, and its other parts; undefined when it has a text of its own. */
function likeness(path) {
  const base = LIKE.exec(read(path))?.[1];
  return base && { base, parts: [...read(path).matchAll(WITH)].map(([, part, instead]) => ({ part, instead })) };
}

/** The pieces of a text: own text, and the paths of parts. */
function piecesOf(path) {
  const pieces = [];
  let at = 0;
  const text = read(path);
  for (const { 0: line, 1: part, index } of text.matchAll(INCLUDE)) {
    pieces.push({ text: strip(path, text.slice(at, index)) }, { part });
    at = index + line.length;
  }
  return [...pieces, { text: strip(path, text.slice(at)) }].filter((piece) => piece.text !== '');
}

function partsOf(path, found = []) {
  for (const { part } of piecesOf(path)) {
    if (part === undefined) continue;
    if (found.includes(part)) throw new Error(`${path}.lua: ${part}.lua is included twice`);
    found.push(part);
    partsOf(part, found);
  }
  return found;
}

function assemble(path) {
  const like = likeness(path);
  if (like === undefined) {
    partsOf(path);
    return piecesOf(path)
      .map(({ text, part }) => text ?? assemble(part))
      .join('\n');
  }
  return like.parts.reduce((source, { part, instead }) => {
    const around = source.split(assemble(instead));
    if (around.length !== 2) throw new Error(`${path}.lua: ${like.base}.lua does not include ${instead}.lua once`);
    return around.join(assemble(part));
  }, assemble(like.base));
}

// Nor do the spaces that only a reader needs. Those around `..` and `-` stay: `1..2` is a number, and `--` a comment.
const tighten = (line) => line.replace(/'[^']*'|"[^"]*"|\s*(,|[=~<>]=|[=<>+*{}])\s*/g, (found, sign) => sign ?? found);

const tightened = (text) => text.split('\n').map(tighten).join('\n');

// Only whole-line comments and indentation go. That is safe while there are no long strings or comments.
function strip(path, text) {
  if (/\[=*\[/.test(text)) throw new Error(`${path}.lua: long brackets are not supported`);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('--'))
    .join('\n');
}

function header(path, word) {
  const line = new RegExp(`^-- ${word}\\b([\\w ]*)`, 'm').exec(files.get(path));
  return line?.[1].trim().split(/\s+/).filter(Boolean);
}

// A header is a promise: what a script reads must be exactly what its header names. (A batch reads it once per item.) Parts that do not know how
// many there are count from the end, where the last argument is the question.
function checkIndexes(path, source, word, names) {
  const reads = new RegExp(word === 'ARGV' ? /ARGV\[(\d+)\]|= integer\((\d+)/g : /KEYS\[(\d+)\]/g);
  const fromEnd = new RegExp(word === 'ARGV' ? /ARGV\[#ARGV - (\d+)\]/g : /KEYS\[#KEYS(?: - (\d+))?\]/g);
  const last = word === 'ARGV' ? names.length + 1 : names.length;
  const indexes = new Set([
    ...[...source.matchAll(reads)].map(([, plain, checked]) => Number(plain ?? checked)),
    ...[...source.matchAll(fromEnd)].map(([, back]) => last - Number(back ?? 0)),
  ]);
  if (path.endsWith('/renew') && source.includes('KEYS[i]')) return;
  if (indexes.size !== names.length || names.some((_, index) => !indexes.has(index + 1))) {
    throw new Error(
      `${path}.lua: the ${word} line of the header names ${names.length}, the script reads ${[...indexes]}`,
    );
  }
}

const quote = (text) => `'${text}'`;
const union = (names) => names.map(quote).join(' | ') || 'never';
const inOrder = (names) => (names.length === 0 ? '() => []' : `(by) => [${names.map((n) => `by.${n}`).join(', ')}]`);

/** `lock/own` -> `lockOwn`; `read-write/side` -> `readWriteSide`. */
const identifier = (path) => path.replace(/[/-](\w)/g, (_, letter) => letter.toUpperCase());
const folderOf = (path) => path.slice(0, path.indexOf('/'));
const nameOf = (path) => path.slice(path.indexOf('/') + 1);

/** An expression that gives the text of a script or part, from those of parts. */
function expression(path, named) {
  const like = likeness(path);
  if (like === undefined) {
    const pieces = piecesOf(path).map(({ text, part }) =>
      part === undefined ? JSON.stringify(tightened(text)) : named(part),
    );
    return pieces.length === 1 ? pieces[0] : `[${pieces.join(', ')}].join('\\n')`;
  }
  const replaced = like.parts.map(({ part, instead }) => `.replace(${named(instead)}, () => ${named(part)})`);
  return `${identifier(folderOf(like.base))}.${nameOf(like.base)}.source${replaced.join('')}`;
}

function entry(path) {
  const name = nameOf(path);
  const keys = header(path, 'KEYS');
  const args = header(path, 'ARGV');
  if (args === undefined) throw new Error(`${path}.lua: the header has no ARGV line`);
  const source = assemble(path);
  checkIndexes(path, source, 'KEYS', keys);
  checkIndexes(path, source, 'ARGV', args);
  // Those of the first primitive are called by their names alone.
  return `export const ${name} = /* @__PURE__ */ new Operation<${union(keys)}, ${union(args)}>(
  ${quote(path.replace(/^lock\//, ''))},
  ${inOrder(keys)},
  ${inOrder(args)},
  () => ${expression(path, (part) => `parts.${identifier(part)}`)},
);
`;
}

const scripts = [...files.keys()].filter((path) => header(path, 'KEYS') !== undefined);

/** The module of one folder; undefined when there are no scripts in it. */
function moduleOf(folder) {
  const own = scripts.filter((path) => path.startsWith(`${folder}/`));
  if (own.length === 0) return undefined;
  const bases = new Set(own.flatMap((path) => folderOf(likeness(path)?.base ?? '') || []));
  const imports = [...bases].map((base) => `import * as ${identifier(base)} from '../${base}/scripts.gen.js';\n`);
  return `// Generated by scripts/gen-lua.mjs from ${folder}/*.lua. Do not edit.
import * as parts from '../parts.gen.js';
import { Operation } from '../protocol/operation.js';
${imports.join('')}
${own.map(entry).join('\n')}`;
}

/** Every part that a script has, each behind the parts that it has itself. */
function partsModule() {
  const used = new Set();
  const use = (part) => {
    for (const inner of piecesOf(part)) if (inner.part !== undefined) use(inner.part);
    used.add(part);
  };
  for (const path of scripts) {
    for (const { part } of piecesOf(path)) if (part !== undefined) use(part);
    for (const { part } of likeness(path)?.parts ?? []) use(part);
  }
  const constants = [...used].map((part) => `export const ${identifier(part)} = ${expression(part, identifier)};\n`);
  return `// Generated by scripts/gen-lua.mjs from the parts of scripts. Do not edit.
${constants.join('')}`;
}

function write(path, module) {
  const target = new URL(path, sources);
  const committed = existsSync(target) ? readFileSync(target, 'utf8') : undefined;
  if (module === committed) return;
  if (process.argv.includes('--check')) {
    console.error(`packages/core/src/${path} is stale: run \`npm run gen\` and commit the result`);
    process.exitCode = 1;
  } else if (module === undefined) {
    rmSync(target);
  } else {
    writeFileSync(target, module);
  }
}

for (const folder of folders) write(`${folder}/scripts.gen.ts`, moduleOf(folder));
write('parts.gen.ts', partsModule());
