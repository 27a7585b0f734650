import type { Command } from '@holdfast/core';
import * as latch from '@holdfast/core/latch';

/** What is known of a latch. */
export type LatchLook = latch.LatchLook;
/** What tells a request from its copies, and how its end is told. */
export type LatchRequest = latch.LatchRequest;

/** Whether the data that had the first mark is still there where the second one is: it is the same, or one of a later round of that line. */
export function outlived(mark: string, now: string): boolean {
  const [line, nth] = mark.split(' ');
  const [present, later] = now.split(' ');
  return now === mark || (present === line && Number(later) > Number(nth));
}

/** The operations of the countdown latch: the only file of the client that knows its scripts. */
export class LatchOperations {
  readonly primitive = 'latch';
  readonly #keys: latch.LatchKeys;

  /** @throws TypeError or RangeError when there can be no latch of that name. */
  constructor(name: string, prefixes: Parameters<typeof latch.latchKeys>[1]) {
    this.#keys = latch.latchKeys(name, prefixes);
  }

  get name(): string {
    return this.#keys.name;
  }

  get key(): string {
    return this.#keys.latch;
  }

  get channel(): string {
    return this.#keys.channel;
  }

  get channelSlot(): latch.LatchKeys['channelSlot'] {
    return this.#keys.channelSlot;
  }

  trySet(request: LatchRequest, count: number): Command<boolean> {
    return latch.trySet(this.#keys, { ...request, count });
  }

  /** `by`: who counts; '' for whoever it is. */
  count(request: LatchRequest, by: string): Command<number> {
    return latch.count(this.#keys, { ...request, by });
  }

  look(): Command<LatchLook> {
    return latch.look(this.#keys);
  }

  remove(request: LatchRequest): Command<boolean> {
    return latch.remove(this.#keys, request);
  }
}
