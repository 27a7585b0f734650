/**
 * The server at the other end of a connection: which run of a server it is, and whether it takes locks. Each connection asks once, when it is needed. A replica is asked again
 * and again, because it may be promoted, and says so to nobody. One that has not been heard for a while is asked for a sign of life when somebody wants to know.
 */

import { attempt } from './attempt.js';
import { type Connection, type ConnectionListener, hasPassed } from './connection.js';
import type { ConnectionTools } from './connection-tools.js';
import { meaningOf } from './reply-errors.js';
import type { CheckedServer, ServerFacts } from './server-check.js';

const REPLICA_RETRY_MS = 1_000;
const STIR_RETRY_MS = 200;
/** For how long an answer shows that its server answers. */
const HEARD_MS = 1_000;

type Way = Pick<Connection, 'ready' | 'epoch' | 'retired' | 'sent' | 'answered'>;

interface Server extends CheckedServer {
  readonly options: { readonly enableReadyCheck?: boolean };
  ping(): Promise<unknown>;
}

/** See the module comment. */
export class Counterpart {
  readonly #server: Server;
  readonly #connection: Way;
  readonly #tools: ConnectionTools;
  readonly #listener: Pick<ConnectionListener, 'onOther' | 'onLooked'>;
  #role: 'unasked' | 'asked' | ServerFacts['role'] = 'unasked';
  #run: string | undefined;
  #wanted = false;
  #heardAt: number | undefined;
  /** The number of the connection on which it owes a sign of life. */
  #stirredOn: number | undefined;

  constructor(
    server: Server,
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

  /** The connection is over. Where it ended at the question, as by a proxy that does not know INFO, and ioredis is not to ask either, the next one is spared it. */
  forget(): void {
    this.#role = this.#role === 'asked' && !this.#server.options.enableReadyCheck ? 'master' : 'unasked';
    this.#heardAt = undefined;
    this.#stirredOn = undefined;
  }

  /** Something has come from it. */
  heard(at: number): void {
    this.#heardAt = at;
  }

  /** Whether it was heard a moment ago; else it is asked for a sign of life, and `onLooked` tells when that has come. */
  stir(): boolean {
    if (this.#heardAt !== undefined && this.#tools.now() - this.#heardAt < HEARD_MS) return true;
    // The answer to what it is will do.
    if (this.#connection.ready && this.#role !== 'unasked' && this.#role !== 'asked') void this.#ping();
    return false;
  }

  async #ping(): Promise<void> {
    const { epoch } = this.#connection;
    if (this.#stirredOn === epoch) return;
    this.#stirredOn = epoch;
    this.#connection.sent(this.#tools.now());
    // For want of a right it is an answer: with those that Redisson's mode needs there is no PING.
    const meaning = await attempt(() => this.#server.ping()).then(
      () => 'permanent',
      (error: unknown) => meaningOf(error).kind,
    );
    if (hasPassed(this.#connection, epoch)) return;
    this.#stirredOn = undefined;
    const now = this.#tools.now();
    if (meaning !== 'unknown') this.#connection.answered(now);
    if (meaning === 'permanent') {
      this.heard(now);
      this.#listener.onLooked();
      // Whoever still wants to know stirs it again.
    } else this.#tools.after(STIR_RETRY_MS, () => this.#listener.onLooked());
  }

  async #look(): Promise<void> {
    this.#role = this.#role === 'replica' ? 'replica' : 'asked';
    const { epoch } = this.#connection;
    this.#connection.sent(this.#tools.now());
    const found = await this.#tools.serverCheck.look(this.#server);
    if (hasPassed(this.#connection, epoch)) return;
    const now = this.#tools.now();
    this.#connection.answered(now);
    this.heard(now);
    const before = this.#run;
    const { role = 'master', run = before } = found ?? {};
    this.#role = role;
    this.#run = run;
    if (role === 'replica')
      this.#tools.after(REPLICA_RETRY_MS, () => {
        if (!hasPassed(this.#connection, epoch)) void this.#look();
      });
    if (before !== undefined && before !== run) this.#listener.onOther();
    this.#listener.onLooked();
  }
}
