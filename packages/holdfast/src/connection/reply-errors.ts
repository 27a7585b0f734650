/**
 * What an error of ioredis says about the command it belongs to.
 *
 * Only three answers matter to a lock: was the command refused for good, refused for now, or may it have run? Redis refuses before the
 * first write (the scripts are written so), hence every reply error is definite. Everything else (a closed connection, a flushed queue,
 * a timeout inside the client) leaves the outcome open, and the idempotent scripts make it safe to send the command again.
 */

import { types } from 'node:util';
import { MisdirectedReplyError, ProtocolError } from '@holdfast/core';
import { brokenConnection, noConnection, unnamedMaster } from './trouble.js';

/** Never ran, try later / never ran, give up / answered, but not in our protocol / may have run. */
export type ErrorMeaning =
  | { kind: 'transient'; code: string; message: string }
  | { kind: 'permanent'; code: string }
  | { kind: 'nonsense'; code: string }
  | { kind: 'unknown' };

const transient = [
  'LOADING',
  'BUSY',
  'READONLY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'MOVED',
  'ASK',
  'NOREPLICAS',
  'UNBLOCKED',
];

/** Reads the meaning off an error with which ioredis rejected a command. */
export function meaningOf(error: unknown): ErrorMeaning {
  // To the command itself it is as if no answer had come.
  if (error instanceof MisdirectedReplyError) return { kind: 'unknown' };
  if (error instanceof ProtocolError) return { kind: 'nonsense', code: 'PROTOCOL' };
  if (!(error instanceof Error) || error.name !== 'ReplyError') return { kind: 'unknown' };
  const { message } = error;
  const code = redisCodeOf(message);
  // The answer to AUTH, with which ioredis 5 rejects whatever else was under way.
  if (code === 'WRONGPASS') return { kind: 'unknown' };
  return transient.includes(code) ? { kind: 'transient', code, message } : { kind: 'permanent', code };
}

/**
 * `WRONGTYPE` out of `WRONGTYPE Operation …` and also out of Redis 6's `ERR Error running script …: -WRONGTYPE …`, with or without that dash, and of its
 * `@user_script: 31: -READONLY …`, where the script has caught it. What an ACL refuses inside a script has no code of its own: the text differs from Redis 7.2 on, and in Valkey.
 */
export function redisCodeOf(message: string): string {
  // The other thing that a replica says, to WAIT.
  if (message.includes('WAIT cannot be used with replica')) return 'READONLY';
  if (/The user executing the script can't|ACL failure in script/.test(message)) return 'NOPERM';
  // A server that is cut off runs scripts until their first write, with `cluster-allow-reads-when-down`.
  if (message.includes('while the cluster is down')) return 'CLUSTERDOWN';
  const inner = /^(?:ERR Error running script.*?|@user_script: \d+): -?([A-Z]{3,}) /.exec(message);
  return inner?.[1] ?? /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
}

/** It goes to another server then, and if that is silent, nothing was refused. */
export function isRedirection({ message }: Error): boolean {
  return /^(MOVED|ASK)$/.test(redisCodeOf(message));
}

/** What ioredis says of its own workings and options, and Redis of a command that nobody here has written, and what is the case. */
const reworded: readonly [RegExp, string][] = [
  [/^Stream isn't .*/, noConnection],
  [/^Reached the max .*/, brokenConnection],
  [/NOAUTH HELLO .*? same time/, 'NOAUTH Authentication required.'],
  // Redis 6.2, of what it refuses in a script.
  [/^(?:ERR Error running script.*?: )?@user_script: \d+: -/, ''],
  [/^All sentinels are unreachable.*?(?:Last error:|$)/s, unnamedMaster],
];

/**
 * The same error without what ioredis attaches to it: the arguments of the command, which hold lock names, owner ids and, of AUTH, the
 * password; or, where it asked several servers, the error of one of them, with its arguments. And without its talk of itself.
 */
export function redacted(error: unknown): Error {
  // Not `instanceof`: errors of sockets may come from another realm than ours.
  if (!types.isNativeError(error)) return new Error(String(error));
  const attached = Object.values(error).filter((value) => typeof value === 'object' && value !== null);
  const message = reworded.reduce((text, [theirs, ours]) => text.replace(theirs, ours), error.message);
  const isTheirs = message === error.message;
  if (attached.length === 0 && isTheirs) return error;
  const reason = attached.find((value) => types.isNativeError(value));
  const clean = new Error(message, reason && { cause: redacted(reason) });
  if (isTheirs) clean.name = error.name;
  return clean;
}
