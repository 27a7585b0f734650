import { duration, ordinal } from '../protocol/arguments.js';
import { type Company, command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import { inOne } from '../protocol/in-one.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { keysAbout } from './keys-about.js';
import { release as operation, releases } from './scripts.gen.js';
import { type Granting, trustArgument } from '../queue/granting.js';

/** Arguments of {@link release}. */
export interface ReleaseOptions extends Granting {
  readonly tenure: string;
  /** Number of this step in the tenure; above those of all steps before. A resent release keeps its number. */
  readonly seq: number;
  /** How long late commands of this tenure are to be refused, in ms; 0: none can be on its way (clean). */
  readonly tombstoneMs: number;
  /** How many critical sections a turn of the lock has, for the next owner; absent: not known. */
  readonly turn?: number | undefined;
}

/** Reply to {@link release}. */
export type ReleaseReply =
  /** Holds are left; or this was a late copy, and the count is the present one. */
  | { kind: 'held'; holdCount: number }
  /** The tenure `to` is the owner now and has been told. */
  | { kind: 'granted'; to: string }
  /** The lock is free; or this was a late copy, and a tombstone shows that the tenure ended before. `left`: waiters to be served by {@link serve}. */
  | { kind: 'released'; left: number }
  /** The tenure was not the owner: nothing was released. */
  | { kind: 'notHeld' };

/** Ends one hold; the last one passes the lock to the next waiter or frees it. Works on a server out of memory too. */
export function release(keys: LockKeys, options: ReleaseOptions): Command<ReleaseReply> {
  return command(
    operation,
    keysAbout(options.tenure, keys),
    {
      tenure: options.tenure,
      seq: ordinal('seq', options.seq, 1),
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 0),
      claimMs: duration('claimMs', options.claimMs, 1),
      trust: trustArgument(options),
      releaseChannel: keys.releaseChannel,
      turn: options.turn === undefined ? '-' : ordinal('turn', options.turn, 1),
    },
    decode,
    company,
  );
}

const company: Company = { joint: (commands) => inOne(releases, commands) };

const statuses = { held: 2, granted: 2, released: 1, unserved: 2, notHeld: 1 } as const;

function decode(reply: Reply): ReleaseReply {
  const kind = reply.status(statuses);
  switch (kind) {
    case 'held':
      return { kind, holdCount: reply.natural(1) };
    case 'granted':
      return { kind, to: reply.text(1) };
    case 'released':
      return { kind, left: 0 };
    case 'unserved':
      return { kind: 'released', left: reply.natural(1) };
    case 'notHeld':
      return { kind };
  }
}
