/**
 * The locks that are held now. There is no index of them: a lock is a key of its own, as in Redisson, so the keys of each server are gone through
 * with SCAN, some at a time, and each hash among them is looked at by a script that knows a lock by its shape. Nothing is asked for before somebody
 * wants it: who stops reading stops the search.
 */

import * as core from '@holdfast/core';
import { Wait } from '@holdfast/notify';
import type { Backend } from '../backend.js';
import type { Keyspace } from '../connection/keyspace.js';
import { whenOver } from '../connection/reading.js';
import { meaningOf, redacted } from '../connection/reply-errors.js';
import { isLasting } from '../connection/trouble.js';
import { unavailable } from '../connection/unavailable.js';
import { LockClientClosedError, LockRefusedError, LockUnavailableError } from '../errors.js';
import type { Registry, Waiting } from '../exclusive/registry.js';
import { checkCount, checkKeys, checkString } from '../options.js';
import { shown } from '../reports/caller.js';
import { failureError } from '../tenure/failures.js';
import { ask } from '../tenure/query.js';
import { withinLimit } from './within-limit.js';
import { holderOf, type InspectedHolder } from './inspection.js';
import { Names } from './names.js';

/** Options of {@link LockClient.listLocks}. */
export interface ListLocksOptions {
  /** Only locks whose name matches, as `KEYS` of Redis matches: `*`, `?`, `[ab]`, and `\` before one of these. Default: all. */
  match?: string | undefined;
  /** Ends after so many: at least 1. Default: no end. */
  limit?: number | undefined;
}

/** A lock that is held. */
export interface ListedLock {
  /** Without the client's `prefix`. */
  readonly name: string;
  /** Of many readers one. */
  readonly owner: InspectedHolder;
  /** How many hold it: more than 1 for readers only. */
  readonly holders: number;
  /** How a read-write lock is held; undefined for any other lock. */
  readonly side: 'read' | 'write' | undefined;
  /** Absent when it has no expiry; of many readers the longest. */
  readonly remainingMs: number | undefined;
  /** How many processes wait for it. */
  readonly waiting: number;
}

const knownOptions = ['match', 'limit'];
/** So many locks are looked at together. */
const AT_ONCE = 50;
/** A server that does not answer now is asked again after this. */
const PAUSE_MS = 100;

type Page = Awaited<ReturnType<Keyspace['hashes']>>;

/** What a list needs of its client. */
export interface ListingClient {
  readonly backend: Backend;
  readonly registry: Pick<Registry, 'admit' | 'enlist' | 'leave'>;
}

/** @throws TypeError or RangeError for options that cannot work. */
export function listLocks(
  client: ListingClient,
  options: ListLocksOptions,
): AsyncGenerator<ListedLock, void, undefined> {
  checkKeys('listLocks', options, knownOptions);
  const { match = '*', limit } = options;
  checkString('listLocks: match', match);
  if (limit !== undefined) checkCount('listLocks: limit', limit);
  return search(client, match, limit ?? Infinity);
}

async function* search(
  client: ListingClient,
  match: string,
  limit: number,
): AsyncGenerator<ListedLock, void, undefined> {
  const { backend } = client;
  client.registry.admit(undefined);
  const { settings, topology } = backend.parts;
  let silence: LockUnavailableError | undefined;
  const missing: string[] = [];
  let withinMs = settings.responseTimeoutMs;
  try {
    await shown(backend.whenReached({ timeoutMs: withinMs }));
  } catch (error) {
    if (!(error instanceof LockUnavailableError) || topology.keyspaces.length < 2) throw error;
    // Whoever is there has had its time, and the others are gone through all the same.
    withinMs = settings.attemptTimeoutMs;
  }
  const { prefix = '', keyPrefix = '' } = backend.prefixes;
  const pattern = core.literally(keyPrefix + prefix) + match;
  const names = new Names(backend.parts);
  const seen = new Set<string>();
  /** Who takes over locks while the list is read is gone through as well, from its beginning. */
  const begun = new Set<Keyspace>();
  while (limit > 0) {
    const keyspace = topology.keyspaces.find((each) => !begun.has(each));
    if (keyspace === undefined) break;
    begun.add(keyspace);
    try {
      for (let cursor: string | undefined = '0'; cursor !== undefined && limit > 0; ) {
        client.registry.admit(undefined);
        const page: Page = await shown(pageOf(client, keyspace, cursor, pattern, withinMs));
        const found = page.keys
          .map((key) => core.lockNameAt(key, backend.prefixes))
          .filter((name) => name !== undefined && !seen.has(name) && seen.add(name)) as string[];
        for (let at = 0; at < found.length && limit > 0; at += AT_ONCE) {
          client.registry.admit(undefined);
          const looks = found.slice(at, at + AT_ONCE).map((name) => lookAt(backend, name, names));
          for (const lock of await shown(Promise.all(looks))) if (lock !== undefined && limit-- > 0) yield lock;
        }
        cursor = page.next === '0' ? undefined : page.next;
      }
    } catch (error) {
      if (!(error instanceof LockUnavailableError)) throw error;
      // The others may go on without it, as those of a Cluster do.
      silence ??= error;
      missing.push(keyspace.address);
    }
  }
  if (silence === undefined) return;
  // Where no server answered there is no list that could lack something.
  throw missing.length < begun.size
    ? Object.assign(unavailable('Locks are missing', undefined, silence), { missing })
    : silence;
}

/** Undefined for what is no lock, or is free by now. */
async function lookAt({ parts, prefixes }: Backend, name: string, names: Names): Promise<ListedLock | undefined> {
  const keys = core.lockKeys(name, prefixes);
  const glance = core.glance(keys, core.readWriteKeys(name, prefixes));
  const answer = await ask(parts, keys.lock, glance);
  if (answer.kind !== 'reply') {
    if (answer.kind === 'refused' && answer.code === 'NOTALOCK') return undefined;
    throw failureError({ name, primitive: 'lock' }, answer);
  }
  const { nowMs, owner, side, holders, remainingMs, waiting } = answer.reply;
  if (owner === undefined) return undefined;
  return {
    name,
    owner: { ...holderOf(owner, names), remainingMs, ...(await names.of(owner.id, nowMs)) },
    holders,
    side,
    remainingMs,
    waiting,
  };
}

/**
 * A page of keys, within its time, and while the client is open. When there is no answer it is the first page that is asked for again: behind
 * the address may be another server by then, to which the cursor says nothing. One that keeps no locks any more has no keys to list.
 */
async function pageOf(
  { backend: { parts }, registry }: ListingClient,
  keyspace: Keyspace,
  cursor: string,
  pattern: string,
  withinMs: number,
) {
  let trouble: Error | undefined;
  const unanswered = () => unavailable(`No answer about the keys of ${keyspace.address}`, undefined, trouble);
  const over = new Wait<never>();
  const limit = whenOver(withinMs, parts, () => over.reject(unanswered()));
  const waiting: Waiting = { refuseWaiting: () => over.reject(new LockClientClosedError()) };
  registry.enlist(waiting);
  try {
    for (let from = cursor; ; from = '0') {
      try {
        // Of two that are settled the first counts.
        return await Promise.race([over.promise, keyspace.hashes(from, pattern)]);
      } catch (error) {
        if (error instanceof LockUnavailableError || error instanceof LockClientClosedError) throw error;
        if (!parts.topology.keyspaces.includes(keyspace)) return { next: '0', keys: [] };
        const meaning = meaningOf(error);
        trouble = redacted(error);
        const server = parts.topology.sharded ? keyspace.address : undefined;
        if (meaning.kind === 'permanent')
          throw new LockRefusedError(pattern, meaning.code, { cause: trouble }, 'lock', server);
        if (isLasting(trouble)) throw unanswered();
      }
      // When its time is over meanwhile, or the client is closed, the next turn says so.
      await withinLimit(parts, PAUSE_MS, over.promise);
    }
  } finally {
    limit.cancel();
    registry.leave(waiting);
  }
}
