/** What a handle asks about a lock beside acquiring it, of one Redis. A lock that is kept elsewhere brings questions of its own. */

import type { ClientParts } from '../client-parts.js';
import type { HeldLock } from '../exclusive/coordinating.js';
import type { ExclusiveLock } from '../exclusive/lock.js';
import { none } from '../lists.js';
import type { ForceReply, OwnedOperations, PeekReply } from '../tenure/operations.js';
import { newRequest } from '../tenure/late-copies.js';
import { query } from '../tenure/query.js';
import { serveRest } from '../tenure/serving.js';

/** See the module comment. */
export interface Questions {
  /** Is it held, and for how long? */
  peek(operations: OwnedOperations): Promise<Pick<PeekReply, 'locked' | 'remainingMs'>>;
  /** How many holds the tenure of `lock` has; 0 when Redis knows of none. */
  holdCount(operations: OwnedOperations, lock: ExclusiveLock): Promise<number>;
  /** Takes the lock from its owner, who may be one of `locks`: what this client holds under the name. Answers whether there was one. */
  force(operations: OwnedOperations, locks: () => Iterable<HeldLock>): Promise<boolean>;
}

/** See the module comment. */
export class NodeQuestions implements Questions {
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  peek(operations: OwnedOperations): Promise<PeekReply> {
    return query(this.#parts, operations, operations.peek(this.#parts.tenureId(undefined)));
  }

  async holdCount(operations: OwnedOperations, { tenure }: Pick<ExclusiveLock, 'tenure'>): Promise<number> {
    return tenure === undefined ? 0 : (await query(this.#parts, operations, operations.peek(tenure.id))).holdCount;
  }

  async force(operations: OwnedOperations, locks: () => Iterable<HeldLock>): Promise<boolean> {
    const { ownerBefore, alsoBefore = none } = await this.forceOut(operations);
    if (ownerBefore === undefined) return false;
    // As they are now: a kind of its own may have been made meanwhile.
    for (const lock of [...locks()])
      for (const owner of [ownerBefore, ...alsoBefore]) lock.takenAway(owner, 'force-unlocked');
    return true;
  }

  /** Answers which tenures, or whoever else, have lost the lock. */
  async forceOut(operations: OwnedOperations): Promise<ForceReply> {
    const { request, tombstoneMs } = newRequest(this.#parts);
    const reply = await query(this.#parts, operations, operations.force(request, { tombstoneMs }));
    serveRest(this.#parts, operations, reply.left);
    return reply;
  }
}
