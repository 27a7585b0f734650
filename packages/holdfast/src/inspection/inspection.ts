import type { InspectedOwner, InspectReply } from '@holdfast/core';
import * as core from '@holdfast/core';
import * as readWrite from '@holdfast/core/read-write';
import type { Backend } from '../backend.js';
import type { ClientCard } from '../identity.js';
import { ask, query } from '../tenure/query.js';
import { type NamedTenure, Names } from './names.js';

/** Who holds a lock. */
export interface InspectedHolder {
  /** Field in Redis: a tenure id of holdfast, or what another client wrote. */
  readonly id: string;
  /** Of a read-write lock always 1: its holds are counted in the process that has them. */
  readonly holdCount: number;
  /** A hold of this client, of another client of holdfast, or of something else that writes locks, such as Redisson. */
  readonly kind: 'this-client' | 'holdfast' | 'foreign';
  /** It has given the lock back, which stays taken for `remainingMs` because of its `minHoldMs`. */
  readonly resting: boolean;
  /** Of its own lease; undefined when it has no expiry. */
  readonly remainingMs: number | undefined;
  /** Who that is, of clients with a `clientName` or `meta`. */
  readonly client: ClientCard | undefined;
  /** For how long its process has had the lock or waited for it, without a break, in milliseconds; undefined with `client`. */
  readonly ageMs: number | undefined;
}

/** Who waits for a lock. */
export interface InspectedWait {
  /** Under which its process waits: a secret, by which a grant can be forged. Do not publish it. */
  readonly id: string;
  /** Since its process took its place in the line, by the clock of Redis, in milliseconds. */
  readonly waitingMs: number;
  /** It is this client that waits. */
  readonly thisClient: boolean;
  /** As of {@link InspectedHolder}. */
  readonly client: ClientCard | undefined;
  /** What it wants of a read-write lock; undefined for any other lock. */
  readonly side: 'read' | 'write' | undefined;
  /** The lease that it wants; undefined when it has not asked for so long that it will not be given the lock before it asks again. */
  readonly leaseMs: number | undefined;
}

/** What {@link LockClient.inspect} answers. */
export interface LockInspection {
  /** Of the lock, as it was asked for. */
  readonly name: string;
  /** How a read-write lock is held; undefined when it is free, and for any other lock. */
  readonly side: 'read' | 'write' | undefined;
  /** Absent when the lock is free; of many readers one. */
  readonly owner: InspectedHolder | undefined;
  /** All who hold it: readers may be many, of which about 1 000 are named. */
  readonly holders: readonly InspectedHolder[];
  /** Absent when the lock is free or has no expiry; of many readers the longest. */
  readonly remainingMs: number | undefined;
  /**
   * Waiting processes, next first, however many calls wait in each; calls of the holder's own process are not here, but in its `stats().waiting`. Of a
   * read-write lock in the order in which they came, about 1 000 of each side. While the lock is held by a lock of another kind only those of that kind are
   * seen, and of a read-write lock that nobody holds none.
   */
  readonly queue: readonly InspectedWait[];
}

/** Of a read-write lock no more are read at once. */
const MOST = 1_000;

/**
 * What Redis knows of the lock, whatever kind it is. To the scripts of the re-entrant lock a read-write lock has a foreign owner: then there is a
 * second look. Where that is refused, since a user may have no rights to read-write locks, the first has to do.
 */
export async function inspectLock(backend: Backend, name: string): Promise<LockInspection> {
  const names = new Names(backend.parts);
  const { nowMs, ...seen } = await look(backend, name, names);
  const holders = await Promise.all(
    seen.holders.map(async (holder) => ({ ...holder, ...(await names.of(holder.id, nowMs)) })),
  );
  const queue = await Promise.all(
    seen.queue.map(async (waiter) => ({ ...waiter, client: (await names.of(waiter.id, nowMs)).client })),
  );
  return { ...seen, owner: holders[0], holders, queue };
}

/** Without the names of clients. */
interface Look extends Omit<LockInspection, 'owner' | 'holders' | 'queue'> {
  readonly nowMs: number;
  readonly holders: readonly Omit<InspectedHolder, keyof NamedTenure>[];
  readonly queue: readonly Omit<InspectedWait, 'client'>[];
}

async function look(backend: Backend, name: string, names: Names): Promise<Look> {
  const { parts, prefixes } = backend;
  const operations = backend.lockOperations(name);
  const reply = await query(parts, operations, operations.inspect());
  if (reply.owner?.foreign !== true) return inspectionOf(name, reply, undefined, names);
  const command = readWrite.inspect(core.readWriteKeys(name, prefixes), { most: MOST });
  const answer = await ask(parts, operations.key, command);
  return inspectionOf(name, reply, answer.kind === 'reply' ? answer.reply : undefined, names);
}

/** Puts the replies of Redis into the words of this client. */
function inspectionOf(
  name: string,
  reply: InspectReply,
  shared: readWrite.ReadWriteInspectReply | undefined,
  names: Names,
): Look {
  const nowMs = shared?.nowMs ?? reply.nowMs;
  const waitOf = (
    { tenure, ticket, leaseMs }: Pick<core.InspectedWaiter, 'tenure' | 'ticket' | 'leaseMs'>,
    side?: 'read' | 'write',
  ): Look['queue'][number] => ({
    id: tenure,
    waitingMs: Math.max(0, nowMs - Math.ceil(ticket / 1_000)),
    thisClient: names.isOurs(tenure),
    side,
    leaseMs,
  });
  const isShared = shared?.side !== undefined && shared.holders.length > 0;
  const holders = isShared
    ? shared.holders.map(({ tenure, remainingMs }) => ({
        ...holderOf({ id: tenure, holdCount: 1, foreign: false, resting: false }, names),
        remainingMs,
      }))
    : reply.owner
      ? [{ ...holderOf(reply.owner, names), remainingMs: reply.remainingMs }]
      : [];
  const sharedQueue = shared?.queue.map((waiter) => waitOf(waiter, waiter.side)) ?? [];
  return {
    nowMs,
    name,
    side: isShared ? shared.side : undefined,
    holders,
    remainingMs: isShared ? shared.remainingMs : reply.remainingMs,
    queue: [...reply.queue.map((waiter) => waitOf(waiter)), ...sharedQueue],
  };
}

/** Puts an owner, as a script names it, into the words of a client. */
export function holderOf(
  owner: InspectedOwner,
  names: Names,
): Omit<InspectedHolder, 'remainingMs' | keyof NamedTenure> {
  return {
    id: owner.id,
    holdCount: owner.holdCount,
    kind: owner.foreign ? 'foreign' : names.isOurs(owner.id) ? 'this-client' : 'holdfast',
    resting: owner.resting,
  };
}
