/** A PostgreSQL server of the test's own, from Debian's packages, on a socket in a folder that goes with it. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOM = '/usr/lib/postgresql';

/** The folder of its programs; undefined where none is installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(ROOM) ? readdirSync(ROOM).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(ROOM, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** See the module comment. */
export class Postgres {
  readonly #bin: string;
  readonly #dir = mkdtempSync(join(tmpdir(), 'holdfast-pg-'));

  constructor(bin: string) {
    this.#bin = bin;
    // It refuses to run as root; then it runs as the user that Debian has made for it.
    if (this.#asOther.length > 0) execFileSync('chown', ['postgres', this.#dir]);
    chmodSync(this.#dir, 0o700);
    this.#run('initdb', '-D', this.#data, '-A', 'trust', '-U', 'postgres', '--no-sync', '--locale=C');
    const options = `-c listen_addresses='' -c unix_socket_directories=${this.#dir} -c fsync=off`;
    this.#run('pg_ctl', '-D', this.#data, '-w', '-l', join(this.#dir, 'log'), '-o', options, 'start');
  }

  stop(): void {
    this.#run('pg_ctl', '-D', this.#data, '-m', 'immediate', '-w', 'stop');
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** Runs statements one after the other, each in its own transaction; answers what `psql` says: rows as `a|b`, and the tag of each command. */
  sql(...statements: string[]): string[] {
    const args = ['-h', this.#dir, '-U', 'postgres', '-X', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];
    const { stdout, stderr, status } = spawnSync(
      this.#asOther[0] ?? 'psql',
      [...this.#asOther.slice(1), ...(this.#asOther.length > 0 ? ['psql'] : []), ...args],
      { input: statements.map((statement) => `${statement};\n`).join(''), encoding: 'utf8', cwd: '/' },
    );
    if (status !== 0) throw new Error(stderr);
    return stdout.split('\n').filter((line) => line !== '');
  }

  /** How a driver reaches it. */
  get server(): { readonly host: string; readonly user: string; readonly database: string } {
    return { host: this.#dir, user: 'postgres', database: 'postgres' };
  }

  get #data(): string {
    return join(this.#dir, 'data');
  }

  get #asOther(): string[] {
    return process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];
  }

  #run(program: string, ...args: string[]): void {
    const [file = '', ...rest] = [...this.#asOther, join(this.#bin, program), ...args];
    execFileSync(file, rest, { stdio: 'ignore', cwd: '/' });
  }
}
