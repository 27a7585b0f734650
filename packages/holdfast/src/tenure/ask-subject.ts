import type { Failure } from './failures.js';
import type { Inherited } from './inherited.js';
import type { Operations, Owned } from './operations.js';

/** The tenure that asks. It is told what becomes of that. */
export interface AskSubject {
  readonly id: string;
  readonly operations: Operations;
  /** An ask for a lease of `leaseMs` is about to be sent. */
  onAsk(leaseMs: number): void;
  onOwned(reply: Owned, sentAt: number, inherited: Inherited | undefined): void;
  /** The lock has another owner. `askedAt`: when the ask was sent. */
  onBusy(askedAt: number, owner: 'holdfast' | 'foreign'): void;
  /** `over`: a tombstone refused it. */
  onFailed(failure: Failure | { kind: 'over' }): void;
  /** A copy of an ask may still be on its way. */
  onDoubt(): void;
}
