import { Buffer } from 'node:buffer';

/** What a direction of the proxy does with bytes. */
export type Gate = 'pass' | 'hold' | 'drop';

/** The settings that all pipes of one direction share. */
export interface Flow {
  gate: Gate;
  delayMs: number;
  /** How many bytes have been dropped so far. */
  droppedBytes: number;
}

/** Below this a timer is too coarse; the rest of a delay is waited for turn by turn. */
const timerGrainMs = 1.5;

const sizeOf = (chunk: Buffer | 'end'): number => (chunk === 'end' ? 0 : chunk.length);

type Item = { dueAt: number; chunk: Buffer | 'end' };

/**
 * One direction of one connection: a queue from which bytes leave in the order they came, whatever gate and delay do
 * meanwhile. The end of the stream takes its place in the queue too, so a partition also holds back that a peer left.
 */
export class Pipe {
  readonly #flow: Flow;
  readonly #deliver: (chunk: Buffer) => void;
  readonly #end: () => void;
  readonly #queue: Item[] = [];
  #stopWaiting: (() => void) | undefined;
  #hasGap = false;

  constructor(flow: Flow, deliver: (chunk: Buffer) => void, end: () => void) {
    this.#flow = flow;
    this.#deliver = deliver;
    this.#end = end;
  }

  /** Whether something was dropped: what follows can then never be delivered, TCP knows no gaps. */
  get hasGap(): boolean {
    return this.#hasGap;
  }

  /** Held back or delayed. */
  get queuedBytes(): number {
    return this.#queue.reduce((sum, { chunk }) => sum + sizeOf(chunk), 0);
  }

  /** Whether these bytes are held back or delayed, in however many pieces. */
  holdsBack(bytes: string): boolean {
    const chunks = this.#queue.flatMap(({ chunk }) => (chunk === 'end' ? [] : [chunk]));
    return Buffer.concat(chunks).includes(bytes);
  }

  push(chunk: Buffer | 'end'): void {
    if (this.#flow.gate === 'drop' || this.#hasGap) {
      this.#drop(chunk);
      return;
    }
    this.#queue.push({ chunk, dueAt: performance.now() + this.#flow.delayMs });
    this.pump();
  }

  /** Lets go what may go now: after every push, and when the gate has opened. */
  pump(): void {
    if (this.#stopWaiting !== undefined) return;
    while (this.#flow.gate !== 'hold') {
      const item = this.#queue[0];
      if (item === undefined) return;
      const waitMs = item.dueAt - performance.now();
      if (waitMs > 0) {
        this.#pumpAfter(waitMs);
        return;
      }
      this.#queue.shift();
      if (this.#flow.gate === 'drop') this.#drop(item.chunk);
      else if (item.chunk === 'end') this.#end();
      else this.#deliver(item.chunk);
    }
  }

  /** Forgets what is queued. */
  clear(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    this.#queue.length = 0;
  }

  #drop(chunk: Buffer | 'end'): void {
    this.#hasGap = true;
    this.#flow.droppedBytes += sizeOf(chunk);
  }

  #pumpAfter(waitMs: number): void {
    const again = (): void => {
      this.#stopWaiting = undefined;
      this.pump();
    };
    if (waitMs > timerGrainMs) {
      const timer = setTimeout(again, waitMs - 1);
      this.#stopWaiting = () => clearTimeout(timer);
    } else {
      const turn = setImmediate(again);
      this.#stopWaiting = () => clearImmediate(turn);
    }
  }
}
