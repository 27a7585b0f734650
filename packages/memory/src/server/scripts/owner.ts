import type { Commands } from '../commands.js';
import { ErrorReply, refusalOf } from '../reply.js';

/** What stands under the name of a lock. */
export interface Owner {
  readonly holder: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

const THREAD = /^[\da-fA-F]+-[\da-fA-F]+-[\da-fA-F]+-[\da-fA-F]+-[\da-fA-F]+:/;
const UUID_LENGTH = 36;
const THREAD_ID = /^-?\d+(?::write)?$/;
const UUID = /^[\da-fA-F]+-[\da-fA-F]+-[\da-fA-F]+-[\da-fA-F]+-[\da-fA-F]+$/;
const none: ReadonlyMap<string, string> = new Map();

/** A larger hash is not read whole. */
const SMALL = 128;

/** owner.lua. `self`: the asking tenure, or ''. Throws NOTALOCK for what is no lock by its shape. */
export function owner(redis: Commands, lock: string, self: string): Owner {
  let size: number;
  let fields: ReadonlyMap<string, string> | undefined;
  try {
    size = redis.hlen(lock);
    if (size === 0) return { holder: undefined, fields: none };
    fields = size > SMALL ? someFields(redis, lock, self) : redis.hgetall(lock);
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal.message.includes('WRONGTYPE') ? notALock() : refusal;
  }
  let tenure: string | undefined;
  let thread: string | undefined;
  let sound = true;
  let plain = true;
  let shared = false;
  for (const [field, value] of fields ?? none) {
    if (!field.includes(':')) {
      sound &&= isBookkeeping(field, value);
      plain &&= field === 'mode';
    } else {
      sound &&= /^[1-9]\d*$/.test(value);
      if (isThread(field)) {
        thread ??= field;
      } else {
        shared ||= tenure !== undefined;
        tenure = field;
      }
    }
  }
  const holder = tenure ?? thread;
  const isReadWrite = fields?.has('side') === true;
  const hasSeq = fields?.has('seq') === true;
  const isOfItsKind = isReadWrite
    ? fields?.get('mode') === 'write' && thread === undefined && !hasSeq
    : !shared && (hasSeq || (plain && tenure === undefined));
  const mayBeLarge = isReadWrite || fields?.get('mode') === 'read';
  if (holder === undefined || !sound || !isOfItsKind || (size > SMALL && !mayBeLarge)) throw notALock();
  return { holder, fields: fields ?? none };
}

/** Of a large hash: the first that a scan comes to, and those that decide. */
function someFields(redis: Commands, lock: string, self: string): ReadonlyMap<string, string> {
  const some = new Map(redis.hscan(lock, SMALL));
  const all = redis.hmget(lock);
  for (const field of ['mode', 'seq', 'side', self]) {
    const value = all?.get(field);
    if (value !== undefined) some.set(field, value);
  }
  return some;
}

function notALock(): ErrorReply {
  return new ErrorReply('NOTALOCK this key is not a lock');
}

function isThread(field: string): boolean {
  if (field.charCodeAt(UUID_LENGTH) !== 58 || field.indexOf(':') !== UUID_LENGTH || !THREAD.test(field)) return false;
  const id = field.slice(UUID_LENGTH + 1);
  return THREAD_ID.test(id) || (id.length === UUID_LENGTH && UUID.test(id));
}

function isBookkeeping(field: string, value: string): boolean {
  if (field === 'mode') return value === 'read' || value === 'write';
  if (field === 'side') return value === 'r' || value === 'w';
  return /^\d+$/.test(value);
}
