import { type Command, invite, type ServeReply } from '@holdfast/core';
import { LockOperations } from './lock-operations.js';

/** The operations of the fair lock: those of the re-entrant lock, on the same keys. Only the process tells the two apart. */
export class FairOperations extends LockOperations {
  override get primitive(): string {
    return 'fair';
  }
}

/** Those of a client that shares names with Redisson, whose fair lock has a line of its own. */
export class InvitingFairOperations extends FairOperations {
  invite(): Command<ServeReply> {
    return invite(this.keys, this.granting);
  }
}
