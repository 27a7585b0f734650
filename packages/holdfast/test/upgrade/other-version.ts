/**
 * Another version of holdfast beside this one, as a folder in which a worker of this folder runs on that version's sources.
 *
 * It shares what this workspace has installed; the sources are a commit's, or this tree's with patches.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const packages = ['core', 'notify', 'watchdog', 'holdfast'];
const worker = 'packages/holdfast/test/upgrade/version.worker.ts';

/** A version that workers can run on. */
export interface OtherVersion {
  /** The worker's file, for `spawnWorker`. */
  readonly worker: URL;
  remove(): void;
}

/** This version. */
export const thisVersion: OtherVersion = {
  worker: pathToFileURL(join(root, worker)),
  remove: () => undefined,
};

/** Replaces `from` by `to`, wherever it stands in the file. */
export interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Whether this clone has the commit: a shallow one may not. */
export function hasCommit(commit: string): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' }).status === 0;
}

/** The sources as they were at a commit. */
export function versionAt(commit: string): OtherVersion {
  return makeVersion((dir) => {
    const paths = packages.map((name) => `packages/${name}`);
    const archive = execFileSync('git', ['archive', commit, ...paths], { cwd: root, maxBuffer: 2 ** 28 });
    execFileSync('tar', ['-x', '-C', dir], { input: archive });
  });
}

/** This tree's sources with patches. @throws Error when a patch finds nothing to replace. */
export function patchedVersion(patches: readonly Patch[]): OtherVersion {
  return makeVersion((dir) => {
    for (const name of packages) {
      for (const part of ['src', 'package.json']) copy(dir, `packages/${name}/${part}`);
    }
    for (const { file, from, to } of patches) {
      const text = readFileSync(join(dir, file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
      writeFileSync(join(dir, file), text.replaceAll(from, to));
    }
    copy(dir, 'scripts/gen-lua.mjs');
    execFileSync(process.execPath, [join(dir, 'scripts/gen-lua.mjs')]);
  });
}

function makeVersion(fill: (dir: string) => void): OtherVersion {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-version-'));
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  try {
    fill(dir);
    copy(dir, worker);
    writeFileSync(join(dir, 'package.json'), '{ "private": true, "type": "module" }');
    link(dir);
    return { worker: pathToFileURL(join(dir, worker)), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function copy(dir: string, path: string): void {
  cpSync(join(root, path), join(dir, path), { recursive: true });
}

/** The version's own packages; from this workspace what they and the worker are run with. */
function link(dir: string): void {
  const installed = join(root, 'packages/holdfast/node_modules');
  mkdirSync(join(dir, 'node_modules/@holdfast'), { recursive: true });
  const targets = {
    holdfast: join(dir, 'packages/holdfast'),
    '@holdfast/core': join(dir, 'packages/core'),
    '@holdfast/notify': join(dir, 'packages/notify'),
    '@holdfast/watchdog': join(dir, 'packages/watchdog'),
    '@holdfast/testkit': join(root, 'packages/testkit'),
    ioredis: join(installed, 'ioredis'),
    nanoid: join(installed, 'nanoid'),
    'async-mutex': join(root, 'packages/notify/node_modules/async-mutex'),
    tsx: join(root, 'node_modules/tsx'),
  };
  for (const [name, target] of Object.entries(targets)) symlinkSync(target, join(dir, 'node_modules', name));
}
