import { type Command, type Granting, permits, type Prefixes, semaphoreKeys } from '@holdfast/core';
import type { ReleaseReply } from '../tenure/operations.js';
import { SemaphoreOperations } from './semaphore-operations.js';

/** Most permits with ids that a call takes, or gives back. */
export const MOST_IDS = permits.MAX_IDS;

/** What the permits of a call become. */
export type Issue = Omit<permits.IssueOptions, 'tenure'>;

/**
 * Those of one call for permits with ids. The call acquires as any call for permits does; then its permits are given, in place of being given back,
 * the ids that outlive it. Until then they have the lease of a hold: when the process dies in between they come back.
 */
export class IssuingOperations extends SemaphoreOperations {
  #issue: Issue | undefined;
  #issued = false;

  /** @throws TypeError or RangeError when there can be no semaphore of that name. */
  static wanting(
    wanted: number,
    { name, prefixes, granting, initial }: { name: string; prefixes: Prefixes; granting: Granting; initial: number },
  ): IssuingOperations {
    return new IssuingOperations(semaphoreKeys(name, prefixes), granting, initial, {
      permits: wanted,
      ends: 'watched',
    });
  }

  /** Redis has said that the ids stand for permits. */
  get issued(): boolean {
    return this.#issued;
  }

  /** From now on a release issues the ids. */
  issueOnRelease(issue: Issue): void {
    this.#issue = issue;
  }

  override release(tenure: string, options: { tombstoneMs: number }): Command<ReleaseReply> {
    if (this.#issue === undefined) return super.release(tenure, options);
    const command = permits.issue(this.keys, { tenure, ...this.#issue });
    return {
      ...command,
      decode: (raw) => {
        this.#issued = command.decode(raw).kind === 'issued';
        return { kind: this.#issued ? 'released' : 'notHeld', left: 0 };
      },
    };
  }
}
