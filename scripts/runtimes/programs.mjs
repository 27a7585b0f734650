// Bun and Deno, from the packages of npm that carry their programs.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { once } from '../versions/servers.mjs';

const packages = ['bun@1.4.5', 'deno@2.9.6'];
/** They are some 200 MB. */
const installLimitMs = 40_000;

/** What the program needs in Deno: `docs/versions.md` says what for. */
const rights = [
  '--no-prompt',
  '--allow-net',
  '--allow-env',
  '--allow-run',
  '--allow-sys=hostname',
  '--node-modules-dir=manual',
];

/** They cannot be had here. */
export class RuntimesMissing extends Error {}

/** @returns {{ title: string, program: string, args: string[] }[]} @throws RuntimesMissing */
export function findRuntimes() {
  try {
    const folder = once(packages.join('+'), (made) => {
      const options = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error', '--prefix', made];
      execFileSync('npm', ['install', ...options, ...packages], { stdio: 'pipe', timeout: installLimitMs });
    });
    const installed = (name) => join(folder, 'node_modules/.bin', name);
    return [
      { program: process.execPath, args: [] },
      { program: installed('bun'), args: [] },
      { program: installed('deno'), args: ['run', ...rights] },
    ].map((runtime) => ({ ...runtime, title: titleOf(runtime.program) }));
  } catch (error) {
    throw new RuntimesMissing(`Bun and Deno cannot be had from npm: ${error.message.split('\n')[0]}`);
  }
}

/** As `bun 1.4.5`. */
function titleOf(program) {
  const [, version] = /(\d+\.\d+\.\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? [];
  return `${program === process.execPath ? 'node' : program.split('/').at(-1)} ${version}`;
}
