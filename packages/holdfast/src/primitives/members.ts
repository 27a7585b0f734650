/**
 * The members of a multi-lock, in the one order in which every process takes them.
 *
 * Each member is waited for while those before it are held. Where all calls go by one order nobody can wait for who waits for him: of
 * the members that are held or waited for, take the last in the order; who has that one waits for none that anybody has. So the order must be the same
 * wherever a process looks from: it is that of the keys in Redis, by Cluster slot and then by text, and no matter of clients, options or the order in
 * which a caller names them. Two members with one key would have no order, and are refused.
 */

import { keySlot } from '@holdfast/core';
import { isSameSide } from '../tenure/operations.js';
import { memberOf } from './lock-handle.js';
import type { Member } from './member.js';
import type { RLock } from './rlock.js';

interface Placed {
  readonly member: Member;
  readonly slot: number;
  readonly key: string;
}

/**
 * What `locks` are, each once, in order.
 *
 * @param named - the lock of a name.
 * @throws TypeError or RangeError for what is no list of locks, or has two locks on one key.
 */
export function membersInOrder(locks: readonly (RLock | string)[], named: (name: string) => RLock): readonly Member[] {
  if (!Array.isArray(locks)) throw new TypeError('getMultiLock: the members must be an array of names or locks');
  if (locks.length === 0) throw new RangeError('getMultiLock needs one member at least');
  const placed = [...(locks as readonly (RLock | string)[])].map((lock, index) =>
    place(typeof lock === 'string' ? named(lock) : lock, index),
  );
  placed.sort((a, b) => a.slot - b.slot || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return placed.filter((one, index) => !repeats(one, placed[index - 1])).map(({ member }) => member);
}

function place(lock: RLock, index: number): Placed {
  const member = memberOf(lock);
  if (member === undefined) {
    throw new TypeError(
      `getMultiLock: member ${index} must be a name, or a lock that a client of this copy of holdfast made for one name`,
    );
  }
  const key = member.host.parts.topology.keyPrefix + member.operations.key;
  return { member, slot: keySlot(key), key };
}

/** @throws RangeError when the two would keep each other out. */
function repeats({ member, key }: Placed, before: Placed | undefined): boolean {
  if (before === undefined || before.key !== key) return false;
  const { host, operations, owner } = before.member;
  const isSame =
    host.client === member.host.client && isSameSide(operations, member.operations) && owner === member.owner;
  if (isSame) return true;
  throw new RangeError(`getMultiLock: two members stand for the key "${key}" and are not the same lock`);
}
