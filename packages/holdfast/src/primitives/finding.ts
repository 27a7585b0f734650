/** Which hold a call on a handle means: by explicit owner, by scope, or by the handle itself. */

import type { HoldRecord } from '../exclusive/hold-record.js';
import { currentScope, type ScopedHold } from '../scopes/scope.js';
import { isSameLock, type LockIdentity } from '../tenure/operations.js';
import type { LockHost } from './acquisition.js';

/** A handle, as far as finding goes. */
export interface Finder {
  readonly lock: LockIdentity;
  /** The explicit owner, if it was made for one. */
  readonly owner: string | undefined;
  /** Taken by `lock` and `tryLock` through this handle outside scopes, oldest first. */
  readonly own: readonly HoldRecord[];
}

/** What `unlock` undoes, unless that is a hold of the handle itself: the last `lock` of the owner, or directly in the scope. */
export function latestOfOwnerOrScope(host: LockHost, { lock, owner }: Finder): ScopedHold | undefined {
  if (owner !== undefined) {
    const held = host.registry
      .find(lock)
      ?.holds.all.findLast((record) => record.imperative && record.given && record.owner === owner);
    return held ?? host.parts.unreported.take(lock, owner);
  }
  const held = currentScope(host.client)?.holds ?? [];
  return [...held].findLast((hold) => hold.imperative && hold.given && isSameLock(hold, lock));
}

/** The innermost open hold that the call is inside of. */
export function holdAround(host: LockHost, { lock, owner, own }: Finder): HoldRecord | undefined {
  const open = host.registry.find(lock)?.holds.all ?? [];
  if (owner !== undefined) return open.findLast((record) => record.owner === owner);
  for (let scope = currentScope(host.client); scope !== undefined; scope = scope.parent) {
    const { holds } = scope;
    const around = open.findLast((record) => holds.has(record));
    if (around !== undefined) return around;
  }
  return open.findLast((record) => own.includes(record));
}

/** Whether `unlock` means holds of this handle: outside `client.run`, without explicit owner. */
export function unlocksItsOwn(host: LockHost, { owner }: Finder): boolean {
  return owner === undefined && currentScope(host.client)?.kind !== 'thread';
}

/** What `unlock` could have undone, for its error. */
export function whatUnlockUndoes(host: LockHost, { owner }: Finder): string {
  if (owner !== undefined) return 'this owner: unlock() undoes a lock() of the same client and owner only';
  return currentScope(host.client)?.kind === 'thread'
    ? 'this client.run: unlock() undoes a lock() of the same client.run only'
    : 'this handle: outside client.run, unlock() undoes a lock() of the same handle only';
}
