// Makes a fresh clone runnable with nothing but Node and npm: installs the workspace when it is missing or out of date.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { needsShell, root } from './run.mjs';

const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

/** The pinned pnpm as a package spec that npx understands: without the hash that is there for corepack. */
export const pnpm = manifest.packageManager.split('+')[0];

/** The lockfile of what is installed is kept beside it by pnpm, written last: equal means complete and current. */
function isInstalled() {
  try {
    return (
      readFileSync(`${root}/pnpm-lock.yaml`, 'utf8') === readFileSync(`${root}/node_modules/.pnpm/lock.yaml`, 'utf8')
    );
  } catch {
    return false;
  }
}

function checkNode() {
  const [wantedMajor, wantedMinor] = manifest.engines.node.match(/\d+/g).map(Number);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new Error(`holdfast needs Node ${manifest.engines.node}; this is ${process.version} (${process.execPath})`);
}

/**
 * Installs the workspace if need be. Asks nothing and needs no terminal.
 *
 * @throws Error that says what failed, with all that the installer said.
 */
export async function prepare() {
  checkNode();
  if (isInstalled()) return;
  process.stderr.write(`[prepare] installing the workspace with ${pnpm} …\n`);
  const startedAt = performance.now();
  // CI=true: pnpm replaces a stale node_modules without asking. Its own progress is hidden, it is hundreds of lines.
  const child = spawn('npx', ['-y', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: needsShell,
    env: { ...process.env, CI: 'true' },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  }
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`The workspace could not be installed (exit code ${code}):\n${said}`);
  process.stderr.write(`[prepare] installed after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}
