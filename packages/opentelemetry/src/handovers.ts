/**
 * From whom a lock came, where that was another call of the same client: the span of the hold that was released last while the call waited.
 * Kept only of locks that are waited for.
 */

import type { SpanContext } from '@opentelemetry/api';
import type { LockAcquireTrace, LockHoldMessage, LockMessage } from 'holdfast';

type OfLock = LockMessage & { readonly name: string };

/** See the module comment. */
export class Handovers {
  readonly #awaited = new Map<string, { waits: number; released: SpanContext | undefined }>();

  /** A call waits. */
  awaited(call: OfLock): void {
    const key = keyOf(call);
    const lock = this.#awaited.get(key);
    if (lock === undefined) this.#awaited.set(key, { waits: 1, released: undefined });
    else lock.waits++;
  }

  /** A hold is given up, whose span was `span`. */
  released(hold: LockHoldMessage, span: SpanContext): void {
    const lock = this.#awaited.get(keyOf(hold));
    if (lock !== undefined) lock.released = span;
  }

  /** A call that waited is answered. The span of the hold that handed it the lock; undefined when none of this client's did. */
  answered(call: LockAcquireTrace): SpanContext | undefined {
    const key = keyOf(call);
    const lock = this.#awaited.get(key);
    if (lock === undefined) return undefined;
    if (--lock.waits === 0) this.#awaited.delete(key);
    return call.how === 'local' || call.how === 'passed' ? lock.released : undefined;
  }
}

const keyOf = ({ clientId, name }: OfLock) => `${clientId} ${name}`;
