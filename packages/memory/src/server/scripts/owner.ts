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

/** owner.lua. Throws NOTALOCK for what is no lock by its shape. */
export function owner(redis: Commands, lock: string): Owner {
  let fields: ReadonlyMap<string, string> | undefined;
  try {
    fields = redis.hgetall(lock);
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal.message.includes('WRONGTYPE') ? notALock() : refusal;
  }
  if (fields === undefined) return { holder: undefined, fields: none };
  let tenure: string | undefined;
  let thread: string | undefined;
  let sound = true;
  let plain = true;
  for (const [field, value] of fields) {
    if (!field.includes(':')) {
      sound &&= isBookkeeping(field, value);
      plain &&= field === 'mode';
    } else {
      sound &&= /^[1-9]\d*$/.test(value);
      if (isThread(field)) {
        thread ??= field;
      } else {
        sound &&= tenure === undefined;
        tenure = field;
      }
    }
  }
  const holder = tenure ?? thread;
  const isLock = holder !== undefined && sound && (fields.has('seq') || (plain && tenure === undefined));
  if (!isLock) throw notALock();
  return { holder, fields };
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
  return /^\d+$/.test(value);
}
