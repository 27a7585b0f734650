import type { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Pipe } from './pipe.js';
import type { Flow } from './pipe.js';
import { ReplyLoss } from './reply-loss.js';
import type { LossOrder } from './reply-loss.js';
import { ReplySwap } from './reply-swap.js';
import type { SwapOrders } from './reply-swap.js';

/** A host and a port. */
export interface Target {
  host: string;
  port: number;
}

/** What all connections of a proxy share. */
export interface Shared {
  readonly target: Target;
  readonly up: Flow;
  readonly down: Flow;
  readonly lossOrders: LossOrder[];
  /** How many more connections are to end in the middle of what they carry, each way. */
  readonly cutOrders: { up: number; down: number };
  readonly swapOrders: SwapOrders;
  /** Called when a reply has been lost. */
  onReplyLost(): void;
  /** Called when two answers have changed places. */
  onSwapped(): void;
  /** Called when a connection has been cut. */
  onCut(): void;
  /** Called when both sides have closed: until then held bytes of a client that left may still reach the server. */
  onClosed(connection: Connection): void;
}

const firstHalf = (chunk: Buffer): Buffer => chunk.subarray(0, Math.floor(chunk.length / 2));

/** One client of the proxy, with its own connection to the server. */
export class Connection {
  readonly #client: Socket;
  readonly #shared: Shared;
  readonly #loss: ReplyLoss;
  readonly #swap: ReplySwap;
  readonly #up: Pipe;
  readonly #down: Pipe;
  #server: Socket | undefined;

  constructor(client: Socket, shared: Shared) {
    this.#client = client;
    this.#shared = shared;
    this.#loss = new ReplyLoss(shared.lossOrders);
    this.#swap = new ReplySwap(shared.swapOrders, () => shared.onSwapped());
    this.#up = new Pipe(
      shared.up,
      (chunk) => this.#deliverUp(chunk),
      () => this.#server?.end(),
    );
    this.#down = new Pipe(
      shared.down,
      (chunk) => this.#deliverDown(chunk),
      () => client.end(),
    );
    client.setNoDelay(true);
    client.on('error', () => undefined); // 'close' follows
    client.on('close', () => {
      this.#up.push('end');
      this.#ignoreServer();
      if (this.#server?.closed !== false) shared.onClosed(this);
    });
  }

  /** Whether the client is still there, as far as the proxy has been told. */
  get hasClient(): boolean {
    return !this.#client.closed;
  }

  /** Held back or delayed, both ways. */
  get queuedBytes(): number {
    return this.#up.queuedBytes + this.#down.queuedBytes;
  }

  /** Whether the client has sent these bytes, and the server has not got them yet. */
  holdsBack(bytes: string): boolean {
    return this.#up.holdsBack(bytes);
  }

  /** Connects to the server. Until then nothing is read from the client. */
  open(): void {
    if (this.#server !== undefined || this.#client.destroyed) return;
    const server = connect({ ...this.#shared.target, noDelay: true });
    this.#server = server;
    server.on('error', () => undefined);
    server.on('data', (chunk) => this.#down.push(chunk));
    server.on('close', () => {
      this.#down.push('end');
      this.#up.clear();
      if (this.#client.closed) this.#shared.onClosed(this);
    });
    this.#client.on('data', (chunk) => this.#up.push(chunk));
  }

  /** Lets held bytes flow, or resets a connection that has lost some. */
  resume(): void {
    if (this.#up.hasGap || this.#down.hasGap) {
      this.reset();
      return;
    }
    this.open();
    this.#up.pump();
    this.#down.pump();
  }

  /** An answer that waits for another to go first goes now. */
  releaseHeldReply(): void {
    this.#write(this.#swap.release());
  }

  /** RST to the client. The server sees an orderly end, so it executes what it has been sent. */
  reset(): void {
    this.#up.clear();
    this.#ignoreServer();
    // Node leaks the handle of a socket that is reset while its end is on the way, and then hangs when the process ends.
    if (this.#client.writableEnded) this.#client.destroy();
    else this.#client.resetAndDestroy();
    this.#server?.end();
  }

  /** Ends both sides at once, whatever is held. */
  destroy(): void {
    this.#up.clear();
    this.#down.clear();
    this.#client.destroy();
    this.#server?.destroy();
  }

  #deliverUp(chunk: Buffer): void {
    if (chunk.length > 1 && this.#isToBeCut('up')) {
      this.#server?.write(firstHalf(chunk));
      this.reset();
      return;
    }
    this.#loss.sawRequestBytes(chunk);
    this.#swap.sawRequestBytes(chunk);
    this.#server?.write(chunk);
  }

  #deliverDown(chunk: Buffer): void {
    if (chunk.length > 1 && this.#isToBeCut('down')) {
      this.#client.write(firstHalf(chunk));
      this.#closeInOrder();
      return;
    }
    const { pass, next } = this.#loss.admit(chunk);
    this.#write(this.#swap.admit(pass));
    if (next === 'go on') return;
    this.#shared.onReplyLost();
    if (next === 'reset') {
      this.reset();
      return;
    }
    this.#closeInOrder();
  }

  #write(bytes: Buffer): void {
    if (bytes.length > 0) this.#client.write(bytes);
  }

  #isToBeCut(direction: 'up' | 'down'): boolean {
    const { cutOrders } = this.#shared;
    if (cutOrders[direction] === 0) return false;
    cutOrders[direction]--;
    this.#shared.onCut();
    return true;
  }

  /** What the client has been sent arrives, unlike at a reset. */
  #closeInOrder(): void {
    this.#up.clear();
    this.#ignoreServer();
    this.#client.end();
    this.#server?.end();
  }

  /** What the server still says reaches nobody. It is read all the same: an unread socket never ends. */
  #ignoreServer(): void {
    this.#down.clear();
    this.#server?.removeAllListeners('data').resume();
  }
}
