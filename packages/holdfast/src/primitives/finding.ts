/** Which hold a call on a handle means: by explicit owner, by scope, or by the handle itself. */

import type { HoldRecord } from '../exclusive/hold-record.js';
import { none } from '../lists.js';
import {
  currentScope,
  endedScope,
  heldAround,
  innermostScope,
  liveOf,
  type Scope,
  type ScopedHold,
  scopesAround,
} from '../scopes/scope.js';
import { isSameSide, type LockIdentity } from '../tenure/operations.js';
import type { LockHost } from './acquisition.js';

/** A lock of a handle, as far as finding goes. */
export interface Finder {
  readonly host: LockHost;
  readonly operations: LockIdentity;
  /** The explicit owner, if there is one. */
  readonly owner: string | undefined;
  /** Taken by `lock` and `tryLock` through this handle outside scopes, oldest first. */
  readonly own: readonly HoldRecord[];
}

/** What `unlock` undoes, unless that is a hold of the handle itself: the last `lock` of the owner, or directly in the scope. */
export function latestOfOwnerOrScope({ host, operations, owner }: Finder): ScopedHold | undefined {
  if (owner !== undefined) {
    const held = host.registry
      .find(operations)
      ?.holds.all.findLast(
        (record) => record.imperative && record.given && record.owner === owner && isSameSide(record, operations),
      );
    return held ?? host.parts.unreported.take(operations, owner);
  }
  const { client } = host;
  // What a scope has left open at its end is its own code's to unlock, before what is around it.
  const innermost = innermostScope();
  const latestIn = (scope: Scope | undefined) =>
    [...(scope?.holds ?? none)].findLast((hold) => hold.imperative && hold.given && isSameSide(hold, operations));
  return latestIn(endedScope(client, innermost)) ?? latestIn(liveOf(client, innermost));
}

/** The innermost open hold that the call is inside of. */
export function holdAround({ host, operations, owner, own }: Finder): HoldRecord | undefined {
  const open = host.registry.find(operations)?.holds.all ?? [];
  if (owner !== undefined) return open.findLast((record) => record.owner === owner);
  for (const { holds } of scopesAround(currentScope(host.client))) {
    const around = open.findLast((record) => holds.has(record));
    if (around !== undefined) return around;
  }
  return open.findLast((record) => own.includes(record));
}

/** The open holds of the handle's own side that the call is inside of, innermost last. */
export function holdsAround({ host, operations, owner, own }: Finder): readonly HoldRecord[] {
  const open = (host.registry.find(operations)?.holds.all ?? []).filter((record) => isSameSide(record, operations));
  if (owner !== undefined) return open.filter((record) => record.owner === owner);
  const around = new Set<ScopedHold>([...own, ...heldAround(currentScope(host.client))]);
  return open.filter((record) => around.has(record));
}

/** Whether `unlock` means holds of this handle: outside `client.run`, without explicit owner. */
export function unlocksItsOwn({ host, owner }: Finder): boolean {
  return owner === undefined && currentScope(host.client)?.kind !== 'thread';
}

/** What `unlock` could have undone, for its error. */
export function whatUnlockUndoes({ host, owner }: Finder): string {
  if (owner !== undefined) return 'this owner: unlock() undoes a lock() of the same client and owner only';
  const { client } = host;
  if (currentScope(client)?.kind === 'thread')
    return 'this client.run: unlock() undoes a lock() of the same client.run only';
  return endedScope(client, innermostScope()) === undefined
    ? 'this handle: outside client.run, unlock() undoes a lock() of the same handle only'
    : 'this handle: the client.run or withLock around it has ended: open client.run there, or unlock() the same handle';
}
