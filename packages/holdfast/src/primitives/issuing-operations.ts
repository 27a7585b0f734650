import { type Command, translated } from '@holdfast/core';
import * as permits from '@holdfast/core/permits';
import type { ReleaseReply } from '../tenure/operations.js';
import { SemaphoreOperations } from './semaphore-operations.js';

/** Most permits with ids that a call takes, or gives back. */
export const MOST_IDS = permits.MAX_IDS;

/** What the permits of a call become. */
export type Issue = Omit<permits.IssueOptions, 'tenure'>;

/**
 * The operations of one call for permits with ids. First the call has a hold of them, as any call for permits. Then, where a hold would give its
 * permits back, the release turns them into permits with ids, which belong to no process. A process that dies before that loses no
 * permit: they come back when the lease of its hold has ended.
 */
export class IssuingOperations extends SemaphoreOperations {
  #issue: Issue | undefined;
  #issued = false;

  /** Redis has said that the ids stand for permits. */
  get issued(): boolean {
    return this.#issued;
  }

  /** From now on a release issues the ids, or none any more: what was given back is remembered for a while, and these operations with it. */
  issueOnRelease(issue: Issue | undefined): void {
    this.#issue = issue;
  }

  override release(tenure: string, options: { tombstoneMs: number }): Command<ReleaseReply> {
    if (this.#issue === undefined) return super.release(tenure, options);
    return translated(permits.issue(this.keys, { tenure, ...this.#issue }), ({ kind }) => {
      this.#issued = kind === 'issued';
      return { kind: this.#issued ? 'released' : 'notHeld', left: 0 };
    });
  }
}
