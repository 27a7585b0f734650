/**
 * The server at the other end of a connection: which run of a server it is, and whether it takes locks. Each connection asks once, when it is needed. A replica is asked again
 * and again, because it may be promoted, and says so to nobody.
 */

import type { Connection, ConnectionListener } from './connection.js';
import type { ConnectionTools } from './connection-tools.js';
import type { CheckedServer, ServerFacts } from './server-check.js';

const REPLICA_RETRY_MS = 1_000;

type Way = Pick<Connection, 'ready' | 'epoch' | 'retired'>;

/** See the module comment. */
export class Counterpart {
  readonly #server: CheckedServer;
  readonly #connection: Way;
  readonly #tools: ConnectionTools;
  readonly #listener: Pick<ConnectionListener, 'onOther' | 'onLooked'>;
  #role: 'unasked' | 'asked' | ServerFacts['role'] = 'unasked';
  #run: string | undefined;
  #wanted = false;

  constructor(
    server: CheckedServer,
    connection: Way,
    listener: Pick<ConnectionListener, 'onOther' | 'onLooked'>,
    tools: ConnectionTools,
  ) {
    this.#server = server;
    this.#connection = connection;
    this.#listener = listener;
    this.#tools = tools;
  }

  /** One that does not say what it is is taken for what it should be. */
  get role(): 'unasked' | 'asked' | ServerFacts['role'] {
    return this.#role;
  }

  /** It is needed: each connection asks from now on. */
  ask(): void {
    this.#wanted = true;
    this.connected();
  }

  connected(): void {
    if (this.#wanted && this.#role === 'unasked' && this.#connection.ready) void this.#look();
  }

  /** It has refused what only a master does. */
  refused(): void {
    if (this.#role === 'master') void this.#look();
  }

  /** The connection is over. */
  forget(): void {
    this.#role = 'unasked';
  }

  async #look(): Promise<void> {
    this.#role = this.#role === 'replica' ? 'replica' : 'asked';
    const { epoch } = this.#connection;
    const found = await this.#tools.serverCheck.look(this.#server);
    if (epoch !== this.#connection.epoch || this.#connection.retired) return;
    const before = this.#run;
    const { role = 'master', run = before } = found ?? {};
    this.#role = role;
    this.#run = run;
    if (role === 'replica')
      this.#tools.at(this.#tools.now() + REPLICA_RETRY_MS, () => {
        if (epoch === this.#connection.epoch && !this.#connection.retired) void this.#look();
      });
    if (before !== undefined && before !== run) this.#listener.onOther();
    this.#listener.onLooked();
  }
}
