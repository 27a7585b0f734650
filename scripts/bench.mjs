// npm run bench -- [options]: holdfast beside its peers; see docs/performance.md. --help lists the options.
//
// The processes that are measured run bundled code, as users install it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { prepare } from './prepare.mjs';
import { root, run, runSource } from './run.mjs';

const bench = join(root, 'packages/bench');
const holdfast = join(root, 'packages/holdfast');
const cache = join(bench, 'node_modules/.cache');
/** Where what is started for one measurement runs: a project that has holdfast as users install it, and the other libraries of the benchmark. */
const project = join(cache, 'project');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

await prepare();
const { devDependencies } = readJson(join(bench, 'package.json'));
const libraries = [
  ...Object.keys(devDependencies).filter((name) => !name.includes('holdfast')),
  '@testcontainers/redis',
];

/** A program of the benchmark, with the code of the workspace in it, but for what it is to load by itself. */
const program = (source, outfile, more = {}) =>
  bundle(join(bench, 'src', source), outfile, { external: libraries, ...more });

/** What `npm install holdfast` brings: its build, and the entry points that are published. Beside the folder that its own build goes to, which others may use now. */
async function installHoldfast(folder) {
  const { name, version, type, main, publishConfig } = readJson(join(holdfast, 'package.json'));
  mkdirSync(folder, { recursive: true });
  const tsup = [join(root, 'node_modules/tsup/dist/cli-default.js'), '--no-dts', '--silent', '--out-dir'];
  const code = await run(process.execPath, [...tsup, join(folder, 'dist')], { cwd: holdfast });
  if (code !== 0) throw new Error(`holdfast could not be built (exit code ${code})`);
  const { exports } = publishConfig;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, type, main, exports }));
}

await installHoldfast(join(project, 'node_modules/holdfast'));
await program('worker/worker.ts', join(cache, 'worker.mjs'));
const external = [...libraries, 'holdfast'];
await program('fresh/window.program.ts', join(project, 'window.mjs'), { external });
await program('fresh/start.esm.program.ts', join(project, 'start.mjs'), { external });
await program('fresh/start.cjs.program.ts', join(project, 'start.cjs'), { external, format: 'cjs' });
process.exitCode = await runSource(join(bench, 'src/main.ts'), process.argv.slice(2));
