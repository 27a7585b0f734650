import type { Command } from '@holdfast/core';
import * as permits from '@holdfast/core/permits';
import type { AskOptions, AskReply } from '../tenure/operations.js';
import { SemaphoreOperations } from './semaphore-operations.js';

/** The operations of one call that makes permits with ids its own: where others ask for permits, it asks for those. */
export class AdoptingOperations extends SemaphoreOperations {
  #ids: readonly string[] = [];

  /** What an ask is for. */
  adopts(ids: readonly string[]): this {
    this.#ids = ids;
    return this;
  }

  override ask(tenure: string, { leaseMs }: AskOptions): Command<AskReply> {
    return this.asked(permits.adopt(this.keys, { tenure, ids: this.#ids, leaseMs: this.lease(leaseMs) }));
  }
}
