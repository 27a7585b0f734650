/** A connection as its server sees it: what it has subscribed to, which database it is in, and answers in the order of the questions. */

import type { ChannelKind, Listener } from './pub-sub.js';
import type { Reply } from './reply.js';

/** What a server sends: the answer to the next question, or a message that belongs to none. */
export type Frame =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'message'; readonly channels: ChannelKind; readonly channel: string; readonly message: string };

/** The other end. */
export interface Peer {
  /** Called while a command is executed, by this connection or another one. It must not send anything in that same call. */
  receive(frame: Frame): void;
  /** The server has ended the connection: it was stopped, or told to. */
  hungUp(): void;
}

/** A command as it is sent: its name and its arguments, keys with their prefix. */
export type Request = readonly string[];

/** What a connection needs of its server. `undefined`: the answer is put off, see {@link ServerConnection.answer}. */
export interface Executor {
  execute(connection: ServerConnection, request: Request): Reply | undefined;
  closed(connection: ServerConnection): void;
}

/** See the module comment. Made by `MemoryServer.accept`. */
export class ServerConnection implements Listener {
  /** The number of the database. */
  database = 0;
  /** How much of the server's history this connection has written last, for WAIT. */
  writtenUpTo = 0;
  readonly subscriptions = { plain: new Set<string>(), sharded: new Set<string>() };
  readonly #server: Executor;
  readonly #peer: Peer;
  /** What came while an answer was put off. */
  #behind: Request[] = [];
  #blocked = false;
  #closed = false;

  constructor(server: Executor, peer: Peer) {
    this.#server = server;
    this.#peer = peer;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Executes a command now. Its answer goes to the peer before this returns, unless it is one that waits. */
  execute(request: Request): void {
    if (this.#closed) return;
    if (this.#blocked) {
      this.#behind.push(request);
      return;
    }
    const reply = this.#server.execute(this, request);
    if (reply === undefined) this.#blocked = true;
    else this.reply(reply);
  }

  /** Sends one frame that is a reply. */
  reply(reply: Reply): void {
    if (!this.#closed) this.#peer.receive({ kind: 'reply', reply });
  }

  /** The answer that was put off. */
  answer(reply: Reply): void {
    if (this.#closed || !this.#blocked) return;
    this.#blocked = false;
    this.reply(reply);
    const behind = this.#behind;
    this.#behind = [];
    for (const request of behind) this.execute(request);
  }

  hear(channels: ChannelKind, channel: string, message: string): void {
    this.#peer.receive({ kind: 'message', channels, channel, message });
  }

  /** The client has gone. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#server.closed(this);
  }

  /** The server ends it. */
  hangUp(): void {
    if (this.#closed) return;
    this.close();
    this.#peer.hungUp();
  }
}
