// The packed package in the forms in which it runs at its users: projects that have the tests of packages/holdfast and, in place of its
// sources, what was packed.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { command } from '../ci/step.mjs';
import { root } from '../run.mjs';

const tested = join(root, 'packages/holdfast');

/** Makes everybody get the CommonJS build, also those who import. */
function requireOnly(folder) {
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  for (const [subpath, entry] of [
    ['.', 'index'],
    ['./testing', 'testing'],
    ['./redlock', 'redlock'],
  ]) {
    const { default: main, ...named } = createRequire(path)(`./dist/${entry}.cjs`);
    const names = Object.keys(named);
    // Not the module itself: to those who import it, it has `default` besides what it exports.
    const facade = `import whole from './${entry}.cjs';\nexport const { ${names.join(', ')} } = whole;\n`;
    const itsDefault = main === undefined ? '' : 'export default whole.default;\n';
    writeFileSync(join(folder, `dist/${entry}.mjs`), facade + itsDefault);
    const types = `./dist/${entry}.d.ts`;
    manifest.exports[subpath] = { types, require: `./dist/${entry}.cjs`, default: `./dist/${entry}.mjs` };
  }
  writeFileSync(path, JSON.stringify(manifest));
}

/** As in a bundle of a user. */
async function minify(folder) {
  const file = join(folder, 'dist/index.js');
  await build({
    ...{ entryPoints: [file], outfile: file, allowOverwrite: true },
    ...{ bundle: true, minify: true, platform: 'node', format: 'esm', external: ['ioredis'] },
  });
}

/** What is done to the package, by the name of the form. */
const forms = { ESM: () => undefined, CommonJS: requireOnly, minified: minify };
export const formNames = Object.keys(forms);

/** Where the project of a form is: as deep as packages/holdfast, since tests read files of the repository. */
export const formFolder = (form) => join(root, '.tmp', `packed-${form}`);

/** Makes the project of a form anew. */
export async function makeForm(form, tarball) {
  const folder = formFolder(form);
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'holdfast');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'packed', private: true, type: 'module' }));
  cpSync(join(tested, 'test'), join(folder, 'test'), { recursive: true });
  linkAll(join(tested, 'node_modules'), modules);
  await command('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  await forms[form](installed);
}

function linkAll(from, to) {
  for (const name of readdirSync(from)) {
    if (name.startsWith('.')) continue;
    if (!name.startsWith('@')) symlinkSync(join(from, name), join(to, name), 'junction');
    else {
      mkdirSync(join(to, name));
      linkAll(join(from, name), join(to, name));
    }
  }
}
