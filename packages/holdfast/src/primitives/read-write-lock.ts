import { readWriteKeys } from '@holdfast/core';
import type { Backend } from '../backend.js';
import type { Coordination } from '../exclusive/coordinating.js';
import { checkFlag, checkKeys, checkOwner } from '../options.js';
import { SharedCoordinator } from '../read-write/shared-coordinator.js';
import type { LockHost } from './acquisition.js';
import { LockHandle } from './lock-handle.js';
import { ReadWriteOperations } from './read-write-operations.js';
import type { RLock } from './rlock.js';

/** Options of {@link LockClient.getReadWriteLock}. */
export interface ReadWriteLockOptions {
  /** An explicit owner, as for `getLock`. Of both sides: the same owner reads inside what it writes. */
  owner?: string | undefined;
  /**
   * A free lock goes to a writer whenever one waits: writers wait less, and readers may wait for ever. Default false: the two take turns. Give all
   * clients the same answer; within one client the first handle in use decides.
   */
  writersFirst?: boolean | undefined;
}

/**
 * A lock that many readers may hold at once, or one writer alone.
 *
 * Both sides are locks like any other, and have leases, scopes and signals of their own; each reader's lease is its own too, so a reader that crashes
 * keeps a writer waiting for the rest of *its* lease and no longer.
 *
 * - While a writer waits no new reader comes in, and when a writer is done all readers that wait by then come in together: neither side starves.
 * - A call inside a read hold may read, always. A call inside a write hold may read and write; when the write hold ends first, the read holds
 *   inside it go on as those of a reader, and other readers come in.
 * - A call inside a read hold may not ask to write: it rejects with {@link LockUpgradeError}, and nothing is sent.
 *
 * Two calls of `readLock()` give the same handle.
 */
export interface ReadWriteLock {
  /** As `getReadWriteLock` was given it. */
  readonly name: string;
  /** The side that many may hold at once. */
  readLock(): RLock;
  /** The side that one holds, alone. */
  writeLock(): RLock;
}

const knownOptions = ['owner', 'writersFirst'];

/** @throws TypeError or RangeError for a name or options that cannot be used. */
export function readWriteLock(
  host: LockHost,
  backend: Backend,
  name: string,
  options: ReadWriteLockOptions,
): ReadWriteLock {
  const keys = readWriteKeys(name, backend.prefixes);
  checkKeys('getReadWriteLock', options, knownOptions);
  const { owner, writersFirst = false } = options;
  checkFlag('getReadWriteLock: writersFirst', writersFirst);
  const checked = checkOwner('getReadWriteLock', owner);
  const operations = new ReadWriteOperations(keys, { ...backend.granting, writersFirst }, 'read');
  const policy: Coordination = { coordinate: (parts, home) => new SharedCoordinator(operations, parts, home) };
  const reading = new LockHandle(host, operations, policy, checked);
  const writing = new LockHandle(host, operations.of('write'), policy, checked);
  return { name, readLock: () => reading, writeLock: () => writing };
}
