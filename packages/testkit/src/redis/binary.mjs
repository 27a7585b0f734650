// Which server program this machine has.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

/**
 * @typedef {object} Binary
 * @property {string} file    the program
 * @property {string} argv0   the name it must be started under
 */

const usualFolders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];

// Debian packs the server, the checkers and redis-benchmark into one program that acts by the name it is called by.
// `redis-tools` therefore contains the server, without the package that would start a service on port 6379.
const programs = [
  { name: 'redis-server', argv0: 'redis-server' },
  { name: 'valkey-server', argv0: 'valkey-server' },
  { name: 'redis-check-rdb', argv0: 'redis-server' },
  { name: 'valkey-check-rdb', argv0: 'valkey-server' },
];

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What programs have said, for it is asked at each start of a server. @type {Map<string, [number, number]>} */
const versions = new Map();

/**
 * The server's version as [major, minor], or undefined when the program is no server (a `redis-check-rdb` that is
 * only that) or does not start.
 *
 * @param {Binary} binary
 * @returns {[number, number] | undefined}
 */
export function versionOf({ file, argv0 }) {
  const key = `${argv0} ${file}`;
  const version = versions.get(key) ?? askVersion({ file, argv0 });
  if (version !== undefined) versions.set(key, version);
  return version;
}

/** @param {Binary} binary @returns {[number, number] | undefined} */
function askVersion({ file, argv0 }) {
  const { stdout } = spawnSync(file, ['--version'], { argv0, encoding: 'utf8', timeout: 5_000 });
  const found = /server v=(\d+)\.(\d+)/.exec(stdout ?? '');
  return found === null ? undefined : [Number(found[1]), Number(found[2])];
}

/**
 * The program that somebody chose by its path.
 *
 * @param {string} file
 * @returns {Binary}
 * @throws Error when it is no server: to test on another one in its place would be a wrong answer.
 */
export function chosenBinary(file) {
  const binary = { file, argv0: basename(file).startsWith('valkey') ? 'valkey-server' : 'redis-server' };
  if (versionOf(binary) === undefined) throw new Error(`${file} is no Redis or Valkey server that starts here`);
  return binary;
}

/**
 * The program that `REDIS_SERVER` names, else the first one that this machine has.
 *
 * @param {{ PATH?: string | undefined, REDIS_SERVER?: string | undefined }} env
 * @param {string[]} [folders]   searched after PATH
 * @returns {Binary | undefined}
 */
export function findBinary(env, folders = usualFolders) {
  if (env.REDIS_SERVER !== undefined && env.REDIS_SERVER !== '') return chosenBinary(env.REDIS_SERVER);
  const all = [...(env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...folders];
  for (const { name, argv0 } of programs) {
    for (const folder of all) {
      const binary = { file: join(folder, name), argv0 };
      if (isExecutable(binary.file) && versionOf(binary) !== undefined) return binary;
    }
  }
  return undefined;
}
