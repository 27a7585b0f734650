import type { Command } from '@holdfast/core';
import * as share from '@holdfast/core/share';
import type { Backend } from '../backend.js';
import { LockOperations } from './lock-operations.js';

/** What is shared, as Redis knows it. */
export type Shared = share.Shared;

/** The operations of a shared value: those of the re-entrant lock whose holder computes it, and the value. */
export class ShareOperations extends LockOperations {
  readonly #shared: share.ShareKeys;

  /** @throws TypeError or RangeError when nothing can be shared by that name. */
  constructor(name: string, backend: Backend) {
    super(backend.lockKeys(name), backend.granting);
    this.#shared = share.shareKeys(name, backend.prefixes);
  }

  look(): Command<Shared> {
    return share.look(this.#shared);
  }

  /** `untilMs`: server time at which it ends. */
  put(tenure: string, value: { readonly text: string; readonly untilMs: number }): Command<'put' | 'over' | 'lost'> {
    return share.put(this.#shared, { tenure, ...value });
  }
}
