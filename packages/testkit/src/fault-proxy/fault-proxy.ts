import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { Connection } from './connection.js';
import type { Shared, Target } from './connection.js';
import type { Gate } from './pipe.js';
import type { LossOrder, RequestFilter } from './reply-loss.js';

/** `up` is client to server, `down` server to client. */
export type Direction = 'up' | 'down' | 'both';

type Welcome = 'connect' | 'close' | 'ignore';

/**
 * A TCP proxy that does to a connection what networks do. Made by {@link faultProxy}.
 *
 * Within each direction of each connection bytes keep their order always ({@link FaultProxy.swapNextReplies} apart), and no stream ever has a gap.
 * The faults combine; `heal()` ends them.
 */
export class FaultProxy {
  readonly host = '127.0.0.1';
  readonly #connections = new Set<Connection>();
  readonly #lossOrders: LossOrder[] = [];
  readonly #shared: Shared;
  #server: Server | undefined;
  #welcome: Welcome = 'connect';
  #port = 0;
  readonly #cutOrders = { up: 0, down: 0 };
  readonly #swapOrders = { count: 0 };
  #repliesLost = 0;
  #swaps = 0;
  #cuts = 0;

  /** Tests call {@link faultProxy}. */
  constructor(target: Target) {
    this.#shared = {
      target,
      up: { gate: 'pass', delayMs: 0, droppedBytes: 0 },
      down: { gate: 'pass', delayMs: 0, droppedBytes: 0 },
      lossOrders: this.#lossOrders,
      cutOrders: this.#cutOrders,
      swapOrders: this.#swapOrders,
      onSwapped: () => {
        this.#swaps++;
      },
      onCut: () => {
        this.#cuts++;
      },
      onReplyLost: () => {
        this.#repliesLost++;
      },
      onClosed: (connection) => {
        this.#connections.delete(connection);
      },
    };
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `redis://${this.host}:${this.#port}`;
  }

  /** Connections that are made from now on lead there: an address that moved to another server. */
  leadTo({ host, port }: Target): void {
    Object.assign(this.#shared.target, { host, port });
  }

  /** How many clients are connected to the proxy. */
  get connections(): number {
    return [...this.#connections].filter((connection) => connection.hasClient).length;
  }

  /** How many bytes are held back or delayed now: tells a test that what it sent has come this far. */
  get heldBytes(): number {
    return [...this.#connections].reduce((sum, connection) => sum + connection.queuedBytes, 0);
  }

  /** Whether a client has sent these bytes and the server has not got them yet: {@link heldBytes} may be of other commands, as a handshake's. */
  holdsBack(bytes: string): boolean {
    return [...this.#connections].some((connection) => connection.holdsBack(bytes));
  }

  /** How many bytes {@link drop} has swallowed so far. */
  get droppedBytes(): number {
    return this.#shared.up.droppedBytes + this.#shared.down.droppedBytes;
  }

  /** How many orders of {@link loseNextReply} have been carried out. */
  get repliesLost(): number {
    return this.#repliesLost;
  }

  /** How many orders of {@link swapNextReplies} have been carried out. */
  get swaps(): number {
    return this.#swaps;
  }

  /** How many orders of {@link cutNext} have been carried out. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Holds back what is sent this way, a peer's leaving included, until `heal()`: a partition that ends. */
  hold(direction: Direction): void {
    this.#setGate(direction, 'hold');
  }

  /**
   * Swallows what is sent this way, a peer's leaving included: a partition that outlasts TCP's patience. `heal()`
   * resets the connections that have lost something.
   */
  drop(direction: Direction): void {
    this.#setGate(direction, 'drop');
  }

  /** Each byte takes `ms` longer (accurate to about half a millisecond). `delay(0)` ends it; `heal()` does not. */
  delay(ms: number, direction: Direction = 'both'): void {
    if (direction !== 'down') this.#shared.up.delayMs = ms;
    if (direction !== 'up') this.#shared.down.delayMs = ms;
  }

  /**
   * The command is executed, its reply lost: swallows the next bytes any connection gets from the server and resets
   * that connection.
   *
   * With `after`, the reply to the first request from now on for which it returns true: it sees the whole bytes of one
   * request at a time, when they go to the server. Replies to requests before it still arrive; where there are such, the
   * connection is closed in order, since a reset could overtake them. Every call orders one loss.
   */
  loseNextReply(options: { after?: RequestFilter } = {}): void {
    this.#lossOrders.push({ after: options.after });
  }

  /**
   * The next bytes that any connection carries this way end in their middle, and the connection with them: the server gets half a
   * command, which it never executes, or the client half a reply.
   */
  cutNext(direction: 'up' | 'down'): void {
    this.#cutOrders[direction]++;
  }

  /**
   * The next answer to a script, on any connection, lets the one behind it go first, if that is to a script too: what no network does, but a proxy or
   * a client library with a bug. Whoever counts answers takes each for the other.
   */
  swapNextReplies(): void {
    this.#swapOrders.count++;
  }

  /** Takes back the losses that were ordered and have met no request yet. */
  withdrawLosses(): void {
    this.#lossOrders.length = 0;
  }

  /** Takes back the swaps that were ordered and have not happened yet. */
  withdrawSwaps(): void {
    this.#swapOrders.count = 0;
    for (const connection of this.#connections) connection.releaseHeldReply();
  }

  /** Takes back the cuts that were ordered and have not happened yet. */
  withdrawCuts(): void {
    this.#cutOrders.up = 0;
    this.#cutOrders.down = 0;
  }

  /** Resets (RST) all connections; what is held or delayed is gone, what the server has received it executes. */
  reset(): void {
    for (const connection of this.#connections) connection.reset();
  }

  /** New connections are refused (ECONNREFUSED). Those that exist stay. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** New connections are accepted and closed at once: a balancer without a backend. Those that exist stay. */
  acceptThenClose(): void {
    this.#welcome = 'close';
  }

  /** Everything hangs: nothing flows either way, new connections are accepted and the server never hears of them. */
  blackHole(): void {
    this.#welcome = 'ignore';
    this.hold('both');
  }

  /**
   * Ends all faults except `delay`, and losses, cuts and swaps that have not begun: an answer that waits for another to go first goes. Held bytes flow, in
   * their order. Resolves when new connections are welcome.
   */
  async heal(): Promise<void> {
    this.#setGate('both', 'pass');
    this.#welcome = 'connect';
    for (const connection of this.#connections) {
      connection.releaseHeldReply();
      connection.resume();
    }
    await this.listen();
  }

  /** Ends all connections and the proxy. */
  async close(): Promise<void> {
    for (const connection of this.#connections) connection.destroy();
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  /** Listens, on the same port as before. Does nothing when it does already. */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer((client) => this.#accept(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, this.host, resolve);
    });
    this.#server = server;
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  #accept(client: Socket): void {
    if (this.#welcome === 'close') {
      client.on('error', () => undefined);
      client.destroy();
      return;
    }
    const connection = new Connection(client, this.#shared);
    this.#connections.add(connection);
    if (this.#welcome === 'connect') connection.open();
  }

  #setGate(direction: Direction, gate: Gate): void {
    if (direction !== 'down') this.#shared.up.gate = gate;
    if (direction !== 'up') this.#shared.down.gate = gate;
  }
}

/** Starts a proxy in front of `target` (a `RedisServer` is one) on a free port of the loopback. */
export async function faultProxy(options: { target: Target }): Promise<FaultProxy> {
  const { host, port } = options.target;
  const proxy = new FaultProxy({ host, port });
  await proxy.listen();
  return proxy;
}
