import { Buffer } from 'node:buffer';
import { RespFrames } from './resp-frames.js';

/** How many pairs of answers are to change places, shared by all connections of a proxy. */
export interface SwapOrders {
  count: number;
}

const script = /^\*\d+\r\n\$\d+\r\neval(sha)?\r\n/i;
const subscribing = /^\*\d+\r\n\$\d+\r\n[ps]?(un)?subscribe\r\n/i;
const isPush = (reply: Buffer): boolean => reply[0] === '>'.charCodeAt(0);

/**
 * Lets two answers of one connection change places: what no network does, but a proxy or a client library with a bug.
 *
 * Only answers to scripts do, one right behind the other: a client that is told nonsense while it connects never gets as far as asking.
 */
export class ReplySwap {
  readonly #orders: SwapOrders;
  readonly #onSwapped: () => void;
  readonly #requests = new RespFrames();
  readonly #replies = new RespFrames();
  /** Whether each request without an answer is a script, the oldest first. */
  #unanswered: boolean[] = [];
  #listensOnly = false;
  /** An answer that lets the next one go first. */
  #held: Buffer | undefined;
  /** Bytes are handed on as whole replies only: one is held, or the beginning of one is. */
  #inFrames = false;

  constructor(orders: SwapOrders, onSwapped: () => void) {
    this.#orders = orders;
    this.#onSwapped = onSwapped;
  }

  /** Bytes that go to the server now. */
  sawRequestBytes(chunk: Buffer): void {
    for (const request of this.#requests.push(chunk)) {
      const start = request.toString('latin1', 0, 64);
      if (subscribing.test(start)) this.#listensOnly = true;
      this.#unanswered.push(script.test(start));
    }
  }

  /** Bytes from the server: those to hand on now. */
  admit(chunk: Buffer): Buffer {
    if (this.#listensOnly) return chunk;
    const isMidway = this.#replies.rest.length > 0;
    const replies = this.#replies.push(chunk);
    if (!this.#inFrames && (isMidway || this.#orders.count === 0)) {
      for (const reply of replies) if (!isPush(reply)) this.#unanswered.shift();
      return chunk;
    }
    const passed = replies.flatMap((reply) => (isPush(reply) ? reply : this.#pass(reply)));
    this.#inFrames = this.#held !== undefined || this.#replies.rest.length > 0;
    return Buffer.concat(passed);
  }

  /** The held answer goes on as if it had never been held. */
  release(): Buffer {
    const held = this.#held ?? Buffer.alloc(0);
    this.#held = undefined;
    return held;
  }

  #pass(reply: Buffer): Buffer[] {
    const mayMove = this.#unanswered.shift() === true;
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined && mayMove) {
      this.#onSwapped();
      return [reply, held];
    }
    if (held !== undefined) return [held, reply];
    if (!mayMove || this.#orders.count === 0) return [reply];
    this.#orders.count--;
    this.#held = reply;
    return [];
  }
}
