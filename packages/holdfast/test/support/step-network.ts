import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { RespFrames } from '@holdfast/testkit';
import type { CommandName } from './scripts.js';

/** What a held request is; a reply is of the kind of its request, a message counts as what caused it. */
export type Kind = CommandName;

interface Target {
  readonly host: string;
  readonly port: number;
}

/** A request or reply on its way; without a kind it is none of ours and passes by itself, in its turn. */
interface Item {
  readonly frame: Buffer;
  readonly kind: Kind | undefined;
}

/**
 * The network of one client, in which nothing about its lock moves by itself: each command, each answer and each grant waits until the test
 * lets it pass. Everything else (handshakes, subscriptions, verifications) passes at once, but never overtakes.
 */
export class StepNetwork {
  readonly #target: Target;
  readonly #kindOf: (request: Buffer) => Kind | undefined;
  readonly #server: Server;
  readonly #connections = new Set<SteppedConnection>();
  #stepping = true;

  /** @param kindOf - of a request of the lock; undefined for any other, which passes. */
  constructor(target: Target, kindOf: (request: Buffer) => Kind | undefined) {
    this.#target = target;
    this.#kindOf = kindOf;
    this.#server = createServer((client) => {
      const connection = new SteppedConnection(client, connect(this.#target), {
        kindOf: (request) => (this.#stepping ? this.#kindOf(request) : undefined),
        closed: () => this.#connections.delete(connection),
      });
      this.#connections.add(connection);
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `redis://127.0.0.1:${address.port}`;
  }

  /** Commands that have not reached Redis, the oldest first. */
  get sent(): Kind[] {
    return this.#all((connection) => connection.sent);
  }

  /** Answers that have not reached the client. */
  get answers(): number {
    return this.#all((connection) => connection.answers).length;
  }

  /** Grants and losses that have not reached the client. */
  get messages(): number {
    return this.#all((connection) => connection.messages).length;
  }

  execute(): void {
    this.#one((connection) => connection.sent.length > 0).execute();
  }

  answer(): void {
    this.#one((connection) => connection.answers.length > 0).answer();
  }

  message(): void {
    this.#one((connection) => connection.messages.length > 0).message();
  }

  /** The connection for commands breaks. Answers on it are lost; commands that have not reached Redis are handed over, to arrive late. */
  breakOff(): Buffer[] {
    return this.#one((connection) => connection.sent.length + connection.answers.length > 0).breakOff();
  }

  /** From now on everything passes. */
  flow(): void {
    this.#stepping = false;
    for (const connection of this.#connections) connection.flow();
  }

  async close(): Promise<void> {
    for (const connection of [...this.#connections]) connection.breakOff();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #all<T>(of: (connection: SteppedConnection) => readonly T[]): T[] {
    return [...this.#connections].flatMap((connection) => [...of(connection)]);
  }

  #one(fits: (connection: SteppedConnection) => boolean): SteppedConnection {
    const found = [...this.#connections].find(fits);
    if (found === undefined) throw new Error('nothing is on its way');
    return found;
  }
}

interface Duties {
  kindOf(request: Buffer): Kind | undefined;
  closed(): void;
}

const subscribing = /^\*\d+\r\n\$\d+\r\nsubscribe\r\n/i;
const moving = /\r\n1 (grant|lost) /;

class SteppedConnection {
  readonly #client: Socket;
  readonly #redis: Socket;
  readonly #duties: Duties;
  readonly #requests = new RespFrames();
  readonly #replies = new RespFrames();
  #up: Item[] = [];
  /** Kinds of the requests that Redis has not answered. */
  #expected: (Kind | undefined)[] = [];
  #down: Item[] = [];
  #subscribed = false;
  #flowing = false;

  constructor(client: Socket, redis: Socket, duties: Duties) {
    this.#client = client;
    this.#redis = redis;
    this.#duties = duties;
    for (const socket of [client, redis]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => this.breakOff());
    }
    client.on('data', (chunk: Buffer) => this.#fromClient(chunk));
    redis.on('data', (chunk: Buffer) => this.#fromRedis(chunk));
  }

  get sent(): Kind[] {
    return this.#up.flatMap(({ kind }) => kind ?? []);
  }

  get answers(): Kind[] {
    return this.#subscribed ? [] : this.#down.flatMap(({ kind }) => kind ?? []);
  }

  get messages(): Kind[] {
    return this.#subscribed ? this.#down.flatMap(({ kind }) => kind ?? []) : [];
  }

  execute(): void {
    this.#forward();
    this.#passOthers();
  }

  answer(): void {
    this.#client.write(this.#down.shift()?.frame ?? '');
    this.#passOthers();
  }

  message(): void {
    this.answer();
  }

  breakOff(): Buffer[] {
    const late = this.#up.filter(({ kind }) => kind !== undefined).map(({ frame }) => frame);
    this.#up = [];
    this.#down = [];
    this.#client.destroy();
    this.#redis.destroy();
    this.#duties.closed();
    return late;
  }

  flow(): void {
    this.#flowing = true;
    this.#passOthers();
  }

  #fromClient(chunk: Buffer): void {
    for (const frame of this.#requests.push(chunk)) {
      if (subscribing.test(frame.toString('latin1', 0, 40))) this.#subscribed = true;
      this.#up.push({ frame, kind: this.#duties.kindOf(frame) });
    }
    this.#passOthers();
  }

  #fromRedis(chunk: Buffer): void {
    for (const frame of this.#replies.push(chunk)) {
      const kind = this.#subscribed
        ? moving.test(frame.toString('latin1'))
          ? 'force'
          : undefined
        : this.#expected.shift();
      this.#down.push({ frame, kind: this.#flowing ? undefined : kind });
    }
    this.#passOthers();
  }

  #forward(): void {
    const item = this.#up.shift();
    if (item === undefined) return;
    if (!this.#subscribed) this.#expected.push(item.kind);
    this.#redis.write(item.frame);
  }

  #passOthers(): void {
    const passes = (item: Item | undefined) => item !== undefined && (this.#flowing || item.kind === undefined);
    while (passes(this.#up[0])) this.#forward();
    while (passes(this.#down[0])) this.#client.write(this.#down.shift()?.frame ?? '');
  }
}
