import type { Buffer } from 'node:buffer';
import { RespFrames } from './resp-frames.js';

/** Which request's reply is to be lost, given the whole bytes of one request. */
export type RequestFilter = (requestBytes: Buffer) => boolean;

/** A wish for one lost reply, shared by all connections until one of them takes it. */
export type LossOrder = { readonly after: RequestFilter | undefined };

/**
 * What becomes of the connection. A reset throws away what the kernel has not sent yet, so a connection that owes its
 * client earlier replies is closed in order.
 */
export type Aftermath = 'go on' | 'reset' | 'close';

const subscribing = /^\*\d+\r\n\$\d+\r\n[ps]?(un)?subscribe\r\n/i;

const isPush = (reply: Buffer): boolean => reply[0] === '>'.charCodeAt(0);

/**
 * Watches one connection and says which bytes of the server must not arrive.
 *
 * Requests and replies are counted, since a client sends on before it has its replies: for a chosen request, replies
 * to earlier ones still pass, then everything ends. Pushes of RESP3 answer nothing and are not counted. A subscription
 * is answered by pushes only (by something like them in RESP2), so there the very next bytes are the reply.
 */
export class ReplyLoss {
  readonly #orders: LossOrder[];
  readonly #requests = new RespFrames();
  readonly #replies = new RespFrames();
  #unanswered = 0;
  /** How many more replies pass before the condemned one; undefined: none is condemned. */
  #passing: number | undefined;
  #hasSpared = false;
  #nextBytesCondemned = false;

  /** `orders`: those of the whole proxy, the oldest first. */
  constructor(orders: LossOrder[]) {
    this.#orders = orders;
  }

  /** Bytes that go to the server now. */
  sawRequestBytes(chunk: Buffer): void {
    for (const request of this.#requests.push(chunk)) {
      const pushesOnly = subscribing.test(request.toString('latin1', 0, 64));
      const isCondemned = this.#passing === undefined && this.#take((order) => order.after?.(request) === true);
      if (isCondemned && pushesOnly) this.#nextBytesCondemned = true;
      else if (isCondemned) this.#passing = this.#unanswered;
      if (!pushesOnly) this.#unanswered++;
    }
  }

  /** Bytes from the server: those to hand on, and how it goes on after them. */
  admit(chunk: Buffer): { pass: Buffer; next: Aftermath } {
    if (this.#nextBytesCondemned || this.#take((order) => order.after === undefined)) {
      return { pass: chunk.subarray(0, 0), next: 'reset' };
    }
    let passed = -this.#replies.rest.length; // what of the first reply has been handed on with an earlier chunk
    const cut = (): { pass: Buffer; next: Aftermath } => ({
      pass: chunk.subarray(0, Math.max(0, passed)),
      next: this.#hasSpared ? 'close' : 'reset',
    });
    for (const reply of this.#replies.push(chunk)) {
      if (!isPush(reply)) {
        if (this.#passing === 0) return cut();
        if (this.#passing !== undefined) {
          this.#passing--;
          this.#hasSpared = true;
        }
        this.#unanswered = Math.max(0, this.#unanswered - 1);
      }
      passed += reply.length;
    }
    // Not even the beginning of the condemned reply may arrive.
    const { rest } = this.#replies;
    const begunHere = rest.length > 0 && passed >= 0;
    if (this.#passing === 0 && begunHere && !isPush(rest)) return cut();
    return { pass: chunk, next: 'go on' };
  }

  #take(fits: (order: LossOrder) => boolean): boolean {
    const index = this.#orders.findIndex(fits);
    if (index === -1) return false;
    this.#orders.splice(index, 1);
    return true;
  }
}
