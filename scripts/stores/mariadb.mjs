// A MariaDB server of the check's own, from Debian's packages, on a socket in a folder that goes with it.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = '/usr/sbin/mariadbd';
const startLimitMs = 60_000;

export const mariadbIsInstalled = () => existsSync(program);

/** See the module comment. Its one user, root, has no password. */
export class Mariadb {
  #dir = mkdtempSync(join(tmpdir(), 'holdfast-my-'));
  #server;

  static async start() {
    const mariadb = new Mariadb();
    await mariadb.#start();
    return mariadb;
  }

  /** @returns {string[]} the rows, as `a|b` */
  sql(...statements) {
    const { stdout, stderr, status } = this.#ask(statements.join(';\n'));
    if (status !== 0) throw new Error(stderr);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.replaceAll('\t', '|')]));
  }

  /** How a driver reaches it. */
  get server() {
    return { socketPath: this.#socket, user: 'root', database: 'checked' };
  }

  async stop() {
    if (this.#server?.exitCode === null) {
      const ended = once(this.#server, 'exit');
      this.#server.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #start() {
    // It does not like to run as root; then it runs as the user that Debian has made for it.
    const user = process.getuid?.() === 0 ? ['--user=mysql'] : [];
    if (user.length > 0) execFileSync('chown', ['mysql', this.#dir]);
    chmodSync(this.#dir, 0o700);
    const common = ['--no-defaults', `--datadir=${join(this.#dir, 'data')}`, ...user];
    const install = [...common, '--auth-root-authentication-method=normal', '--skip-test-db'];
    execFileSync('mariadb-install-db', install, { stdio: 'ignore', cwd: '/' });
    const own = [`--socket=${this.#socket}`, `--pid-file=${join(this.#dir, 'pid')}`, '--skip-networking'];
    this.#server = spawn(program, [...common, ...own, '--innodb-flush-log-at-trx-commit=0'], {
      stdio: 'ignore',
      cwd: '/',
    });
    const until = performance.now() + startLimitMs;
    while (this.#ask('CREATE DATABASE IF NOT EXISTS checked').status !== 0) {
      if (performance.now() > until || this.#server.exitCode !== null) throw new Error('MariaDB does not start');
      await sleep(100);
    }
  }

  get #socket() {
    return join(this.#dir, 'socket');
  }

  #ask(input) {
    const args = ['--no-defaults', `--socket=${this.#socket}`, '--user=root', '--batch', '--skip-column-names'];
    const database = input.startsWith('CREATE DATABASE') ? [] : ['checked'];
    return spawnSync('mariadb', [...args, ...database], { input, encoding: 'utf8', cwd: '/' });
  }
}
