// Other versions of Node, from the packages that carry its program.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { once } from './servers.mjs';

/** @param {string} version of the package node-<platform>-<arch> @returns {string} the program's path */
export function nodeProgram(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const dir = once(`${name}-${version}`, (made) => {
    const options = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error', '--prefix', made];
    execFileSync('npm', ['install', ...options, `${name}@${version}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  });
  return join(dir, 'node_modules', name, 'bin/node');
}
