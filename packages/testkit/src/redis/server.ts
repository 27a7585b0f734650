import type { ConnectionOptions } from 'node:tls';
import { Redis } from 'ioredis';
import type { Certificate } from './certificate.mjs';
import { findPrivateRedis, findRedis } from './find.mjs';
import type { Faults, FoundRedis } from './find.mjs';

/** The name of the test's own connections, so that leak checks can tell them from those under test. */
export const adminConnectionName = 'holdfast-testkit';

/** How to start a server. Each option asks for a server of one's own: `REDIS_URL` is then ignored. */
export interface StartRedisOptions {
  /** Further command line arguments, e.g. `['--maxmemory', '4mb']`; they win over the testkit's own. */
  args?: string[];
  /** A fixed port. Default: a free one. */
  port?: number;
  /** Which free ports will do. Default: any. Not in Docker. */
  findPort?: () => Promise<number>;
  /** Path of a server program, for another version. Default: what `REDIS_SERVER` names, else the first one found. */
  server?: string;
  /**
   * Text of a configuration file, e.g. `'user app on >secret ~lock:* +@all\n'`. It lies in the server's folder, so that
   * the server can rewrite it, and `restart()` reads it again. Not in Docker.
   */
  config?: string;
  /** Added to the environment of the server program. Not in Docker. */
  serverEnv?: Record<string, string>;
  /** Serves TLS only, with this certificate: see `issueCertificate`. Clients need none, unless `args` ask for one of this authority. Not in Docker. */
  tls?: Certificate;
}

/**
 * A running Redis for tests.
 *
 * It ends with `stop()`, and with the test process however that ends. A *shared* server, one that was given by
 * `REDIS_URL`, belongs to somebody else: nothing is flushed or selected there, `stop()` only disconnects, and the
 * process faults reject. Tests on it use names of their own.
 */
export class RedisServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Where it came from: a program, an image, or `REDIS_URL`. */
  readonly how: string;
  readonly #found: FoundRedis;
  #admin: Promise<Redis> | undefined;

  /** Tests call {@link startRedis}. */
  constructor(found: FoundRedis) {
    this.#found = found;
    this.url = found.url;
    this.host = found.host;
    this.port = found.port;
    this.how = found.how;
  }

  /** PEM of the authority behind its certificate: `new Redis(server.url, { tls: { ca: server.ca } })`. Without TLS: undefined. */
  get ca(): string | undefined {
    return this.#found.tls?.ca;
  }

  /** How the test's own connections come in: a test may want a certificate for another host, and they are let in all the same. Without TLS: undefined. */
  get adminTls(): ConnectionOptions | undefined {
    const { tls } = this.#found;
    return tls && { ...tls, checkServerIdentity: () => undefined };
  }

  /** Whether this server is somebody else's, given by `REDIS_URL`. */
  get isShared(): boolean {
    return this.#found.faults === undefined;
  }

  /** Of the server process; undefined for a shared server and in a container. Changes with `restart()`. */
  get pid(): number | undefined {
    return this.#found.faults?.pid();
  }

  /**
   * The test's own connected client, always the same one. It reconnects quickly and without end after faults, keeps
   * commands until then, and `stop()` closes it.
   */
  admin(): Promise<Redis> {
    this.#admin ??= this.#connectAdmin();
    return this.#admin;
  }

  /** SIGSTOP: connections stay open and nothing answers. */
  async stopProcess(): Promise<void> {
    await this.#faults().suspend();
  }

  /** SIGCONT after {@link stopProcess}: what was sent meanwhile is executed now. */
  async continueProcess(): Promise<void> {
    await this.#faults().resume();
  }

  /** SIGKILL. Resolves when the process has gone. */
  async kill(): Promise<void> {
    await this.#faults().kill();
  }

  /** Kills what still runs and starts again on the same port, empty unless `args` made it persist. Resolves when it answers. */
  async restart(): Promise<void> {
    await this.#faults().restart();
  }

  /** Disconnects `admin()` and ends the server, unless it is shared. Calling it again does nothing. */
  async stop(): Promise<void> {
    const admin = this.#admin;
    this.#admin = undefined;
    (await admin)?.disconnect();
    await this.#found.stop();
  }

  #faults(): Faults {
    if (this.#found.faults !== undefined) return this.#found.faults;
    throw new Error(
      `The server at ${this.url} was given by REDIS_URL and is shared: a test must not stop or kill it. ` +
        'Use startPrivateRedis() for tests of process faults.',
    );
  }

  async #connectAdmin(): Promise<Redis> {
    const admin = new Redis(this.url, {
      connectionName: adminConnectionName,
      lazyConnect: true,
      maxRetriesPerRequest: null,
      retryStrategy: () => 20,
      ...(this.adminTls && { tls: this.adminTls }),
    });
    admin.on('error', () => undefined); // faults are the purpose here; a command that fails says so itself
    await admin.connect();
    return admin;
  }
}

/**
 * A Redis for tests: the one `REDIS_URL` names, else a private, empty one, from a server program on this machine, from
 * Docker, or (root on Debian and Ubuntu) from `apt-get install redis-tools`.
 *
 * @throws Error that says what to install when there is none.
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<RedisServer> {
  const ownWanted = Object.values(options).some((option) => option !== undefined);
  return ownWanted ? startPrivateRedis(options) : new RedisServer(await findRedis());
}

/**
 * As {@link startRedis}, but never a shared server, whatever `REDIS_URL` says: for tests that stop, kill, flush or
 * reconfigure it.
 */
export async function startPrivateRedis(options: StartRedisOptions = {}): Promise<RedisServer> {
  return new RedisServer(await findPrivateRedis(options));
}
