/**
 * Finds out whether one side of a connection speaks TLS and the other does not.
 *
 * A connection does not tell. A Redis that expects plain text waits for the rest of a TLS handshake, and one that expects TLS hangs up on plain
 * text: a server that is slow, and one that has crashed, do the same. So the port is asked, on a socket of its own, in the other language: an
 * answer in that language is proof, and anything else proves nothing. Nothing secret is said: it is PING in one case, a handshake in the other.
 */

import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Redis } from 'ioredis';
import type { ConnectionTools } from './connection-tools.js';
import { addressOf } from './trouble.js';

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
export class TlsProbe {
  readonly #redis: Redis;
  readonly #tools: ConnectionTools;
  readonly #onMismatch: (error: Error) => void;
  readonly #port: Port | undefined;
  /** What the port has proven, until a connection comes about or the port is asked again. */
  #mismatch: Error | undefined;
  #watches = false;
  /** The present connection has been made, and nothing has come of it yet. */
  #unanswered = false;
  /** Connections one after the other of which nothing came before they were closed. */
  #closedUnanswered = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #overdue: { cancel(): void } | undefined;
  #limit: { cancel(): void } | undefined;
  #socket: Socket | undefined;

  /** @param onMismatch - told what is the matter, when the port has proven it. */
  constructor(redis: Redis, tools: ConnectionTools, onMismatch: (error: Error) => void) {
    this.#redis = redis;
    this.#tools = tools;
    this.#onMismatch = onMismatch;
    this.#port = portOf(redis);
  }

  /** A call needs the connection: from now on it is watched. */
  begin(): void {
    if (this.#watches || this.#port === undefined) return;
    this.#watches = true;
    const redis = this.#redis;
    if (redis.status === 'connecting') this.#connecting();
    redis.on('connecting', this.#connecting);
    redis.on('connect', this.#connected);
    redis.on('ready', this.#ready);
    redis.on('close', this.#closed);
  }

  get mismatch(): Error | undefined {
    return this.#mismatch;
  }

  close(): void {
    this.#redis.off('connecting', this.#connecting);
    this.#redis.off('connect', this.#connected);
    this.#redis.off('ready', this.#ready);
    this.#redis.off('close', this.#closed);
    this.#rest();
    this.#end();
  }

  readonly #connecting = (): void => {
    this.#rest();
    if (!this.#redis.options.tls) return;
    const { at, now } = this.#tools;
    this.#overdue = at(now() + HANDSHAKE_MS, () => this.#ask());
  };

  readonly #connected = (): void => {
    this.#rest();
    this.#unanswered = true;
  };

  readonly #ready = (): void => {
    this.#unanswered = false;
    this.#closedUnanswered = 0;
    this.#mismatch = undefined;
    this.#end();
  };

  readonly #closed = (): void => {
    this.#rest();
    // Once may be an overload, of something in between that speaks both.
    if (this.#unanswered && ++this.#closedUnanswered >= ENOUGH && !this.#redis.options.tls) this.#ask();
    this.#unanswered = false;
  };

  #rest(): void {
    this.#overdue?.cancel();
    this.#overdue = undefined;
  }

  #ask(): void {
    const { at, now } = this.#tools;
    if (this.#port === undefined || now() - this.#askedAt < REPEAT_MS) return;
    this.#askedAt = now();
    this.#mismatch = undefined;
    this.#end();
    this.#limit = at(now() + ANSWER_MS, () => this.#end());
    if (this.#redis.options.tls) this.#askInPlainText(this.#port);
    else this.#askByTls(this.#port);
  }

  #askInPlainText(port: Port): void {
    const socket = connectPlain(port, () => socket.write('PING\r\n'));
    this.#watch(socket);
    socket.once('data', (answer) => {
      // The first byte of any answer of Redis to PING, be it an error.
      if (/^[+-]/.test(answer.toString('latin1'))) this.#prove('it answers plain text', 'HOLDFAST_PLAIN_PORT');
      this.#end();
    });
  }

  #askByTls(port: Port): void {
    // Whose certificate it is does not matter: nothing is sent.
    const socket = connectTls({ ...port, rejectUnauthorized: false }, () => {
      this.#prove('it answers a TLS handshake', 'HOLDFAST_TLS_PORT');
      this.#end();
    });
    this.#watch(socket);
  }

  #watch(socket: Socket): void {
    this.#socket = socket;
    // Whatever goes wrong proves nothing. Errors may come after the end.
    socket.on('error', () => undefined);
  }

  #prove(what: string, code: string): void {
    this.#mismatch = Object.assign(new Error(`${addressOf(this.#redis)} was asked, and ${what}`), { code });
    this.#onMismatch(this.#mismatch);
  }

  #end(): void {
    this.#limit?.cancel();
    this.#limit = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

/** There is none where Sentinel names the server, where a connector of the user's connects, and at a socket in the file system. */
function portOf({ options }: Redis): Port | undefined {
  const { host, port, path, sentinels, Connector } = options;
  if (path || sentinels || Connector || host === undefined || port === undefined) return undefined;
  return { host, port };
}
