/**
 * Finds out why connections to a port end before anything was answered: one side speaks TLS and the other does not, the server wants to see a
 * certificate, or it turns clients away.
 *
 * A connection does not tell. A Redis that expects plain text waits for the rest of a TLS handshake, and one that expects TLS hangs up on plain
 * text: a server that is slow, and one that has crashed, do the same. One that is full, or in protected mode, says so and hangs up, and what it
 * said is lost when something had been sent to it by then; so is the alert of one that misses a certificate. So the port is asked, on sockets of their
 * own: in the other language, where an answer in that language is proof, and by a socket that only listens, by TLS behind its handshake. Anything else
 * proves nothing. Nothing secret is said: it is PING in one case, a handshake in the other, and nothing in the third.
 */

import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Redis } from 'ioredis';
import type { ConnectionTools } from './connection-tools.js';
import { listenTo } from './listen-to.js';
import { addressOf, isLasting } from './trouble.js';

/** A handshake takes less, also between regions, unless something is wrong. */
const HANDSHAKE_MS = 500;
/** So many connections in a row were closed before anything was answered. */
const ENOUGH = 2;
/** The port has so long to answer. */
const ANSWER_MS = 2_000;
/** It is asked once in this time. */
const REPEAT_MS = 10_000;

interface Port {
  readonly host: string;
  readonly port: number;
}

/** See the module comment; one for each connection. */
export class PortProbe {
  readonly #redis: Redis;
  readonly #tools: ConnectionTools;
  readonly #onFinding: (error: Error) => void;
  readonly #port: Port | undefined;
  /** What the port has shown, until a connection comes about or the port is asked again. */
  #finding: Error | undefined;
  /** Ends the watch; undefined before it has begun. */
  #stop: (() => void) | undefined;
  /** The present connection has been made, and nothing has come of it yet. */
  #unanswered = false;
  /** Connections one after the other of which nothing came before they were closed. */
  #closedUnanswered = 0;
  #askedAt = -Infinity;
  #overdue: { cancel(): void } | undefined;
  #limit: { cancel(): void } | undefined;
  #sockets: Socket[] = [];

  /** @param onFinding - told what is the matter, when the port has shown it. */
  constructor(redis: Redis, tools: ConnectionTools, onFinding: (error: Error) => void) {
    this.#redis = redis;
    this.#tools = tools;
    this.#onFinding = onFinding;
    this.#port = portOf(redis);
  }

  /** A call needs the connection: from now on it is watched. */
  begin(): void {
    if (this.#stop !== undefined || this.#port === undefined) return;
    if (this.#redis.status === 'connecting') this.#connecting();
    this.#stop = listenTo(this.#redis, {
      connecting: this.#connecting,
      connect: this.#connected,
      ready: this.#ready,
      close: this.#closed,
    });
  }

  get finding(): Error | undefined {
    return this.#finding;
  }

  close(): void {
    this.#stop?.();
    this.#rest();
    this.#end();
  }

  readonly #connecting = (): void => {
    this.#rest();
    if (!this.#redis.options.tls) return;
    this.#overdue = this.#tools.after(HANDSHAKE_MS, () => this.ask());
  };

  readonly #connected = (): void => {
    this.#rest();
    this.#unanswered = true;
  };

  readonly #ready = (): void => {
    this.#unanswered = false;
    this.#closedUnanswered = 0;
    this.#finding = undefined;
    this.#end();
  };

  readonly #closed = (): void => {
    this.#rest();
    // Once may be an overload, of something in between that speaks both.
    if (this.#unanswered && ++this.#closedUnanswered >= ENOUGH) this.ask();
    this.#unanswered = false;
  };

  #rest(): void {
    this.#overdue?.cancel();
    this.#overdue = undefined;
  }

  /** At once, whatever has been watched. */
  ask(): void {
    const { after, now } = this.#tools;
    if (this.#port === undefined || now() - this.#askedAt < REPEAT_MS) return;
    this.#askedAt = now();
    this.#finding = undefined;
    this.#end();
    this.#limit = after(ANSWER_MS, () => this.#end());
    try {
      this.#sockets = [this.#askByTls(this.#port), this.#askInPlainText(this.#port)];
    } catch (error) {
      // Options of TLS that Node refuses: thrown to a Cluster of ioredis it would end the process.
      this.#found(error as Error);
    }
    for (const socket of this.#sockets) {
      // In another language whatever goes wrong proves nothing. Errors may come after the end.
      socket.on('error', (error) => {
        if (this.#limit && this.#redis.options.tls && isLasting(error)) this.#found(error);
      });
    }
  }

  /** PING, where TLS is spoken; else nothing: an error of Redis before any command is about the connection itself. */
  #askInPlainText(port: Port): Socket {
    const { tls } = this.#redis.options;
    const socket = connectPlain(port);
    if (tls) socket.write('PING\r\n');
    return socket.once('data', (answer) => {
      // To PING even an error is an answer.
      const [said, error] = /^(?:\+|-([A-Z]+ [^\r\n]{0,150})?)/.exec(answer.toString('latin1')) ?? [];
      if (tls && said) this.#prove('answers plain text', 'HOLDFAST_PLAIN_PORT');
      else if (error) this.#prove(`says: ${error}`, 'HOLDFAST_TURNED_AWAY');
    });
  }

  #askByTls(port: Port): Socket {
    const { tls } = this.#redis.options;
    // Whose certificate it is does not matter: nothing is sent.
    return connectTls({ ...port, rejectUnauthorized: false, ...tls }, () => {
      // By TLS the server has yet to look at ours.
      if (!tls) this.#prove('answers a TLS handshake', 'HOLDFAST_TLS_PORT');
    });
  }

  #prove(what: string, code: string): void {
    this.#found(Object.assign(new Error(`${addressOf(this.#redis)} ${what}`), { code }));
  }

  #found(finding: Error): void {
    this.#finding = finding;
    this.#end();
    this.#onFinding(finding);
  }

  #end(): void {
    this.#limit?.cancel();
    this.#limit = undefined;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets = [];
  }
}

/** There is none where Sentinel names the server, where a connector of the user's connects, and at a socket in the file system. */
function portOf({ options }: Redis): Port | undefined {
  const { host, port, path, sentinels, Connector } = options;
  if (path || sentinels || Connector || host === undefined || port === undefined) return undefined;
  return { host, port };
}
