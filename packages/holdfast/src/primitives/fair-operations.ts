import { type Command, invite, type ServeReply } from '@holdfast/core';
import { LockOperations } from './lock-operations.js';

/** The operations of the fair lock of a client that shares names with Redisson, whose fair lock has a line of its own. */
export class InvitingFairOperations extends LockOperations {
  invite(): Command<ServeReply> {
    return invite(this.keys, this.granting);
  }
}
