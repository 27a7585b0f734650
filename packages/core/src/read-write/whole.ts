import { decodeServed, type ServeReply } from '../lock/serve.js';
import { duration, tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { ReadWriteKeys } from '../protocol/keys.js';
import type { KnownRequest } from '../protocol/known-request.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { grantingArguments, type ReadWriteGranting, type Side, sideArgument } from './granting.js';
import { keysAbout } from './keys-about.js';
import { force as forcing, peek as peeking, serve as serving } from './scripts.gen.js';

/** Arguments of {@link force}. */
export interface ReadWriteForceOptions extends ReadWriteGranting, KnownRequest {
  /** Whom to take the lock from: all readers, or the writer. */
  readonly side: Side;
}

/** Reply to {@link force}. */
export interface ReadWriteForceReply {
  readonly kind: 'forced';
  /** Who held the lock as that side, before; none when nobody did. */
  readonly holdersBefore: readonly string[];
  readonly left: number;
}

/** Reply to {@link peek}. */
export interface ReadWritePeekReply {
  /** `foreign`: a lock of another kind has the name, or another client's. */
  readonly side: Side | 'foreign' | 'free';
  /** Of the longest lease; undefined when the lock is free or has no TTL. */
  readonly remainingMs: number | undefined;
  /** Whether the given tenure is among the holders. */
  readonly mine: boolean;
}

/** Takes the lock from all who hold it as one side, and passes it on. A foreign owner counts as a writer. Each old holder of ours is told. */
export function force(keys: ReadWriteKeys, options: ReadWriteForceOptions): Command<ReadWriteForceReply> {
  return command(
    forcing,
    keysAbout(options.request, keys),
    {
      side: sideArgument(options.side),
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 1),
      ...grantingArguments(options),
      releaseChannel: keys.releaseChannel,
    },
    decodeForce,
  );
}

/** Goes on with a grant step that met its limit. */
export function serve(keys: ReadWriteKeys, options: ReadWriteGranting): Command<ServeReply> {
  return command(serving, keys, grantingArguments(options), decodeServed);
}

/** Who holds the lock, for how long, and does this tenure? Writes nothing. */
export function peek(keys: ReadWriteKeys, { tenure }: { readonly tenure: string }): Command<ReadWritePeekReply> {
  return command(peeking, keys, { tenure: tenureId(tenure) }, decodePeek);
}

function decodeForce(reply: Reply): ReadWriteForceReply {
  const kind = reply.status({ forced: 3 });
  return { kind, holdersBefore: reply.text(1).split(' ').filter(Boolean), left: reply.natural(2) };
}

const sides = { r: 'read', w: 'write', foreign: 'foreign', free: 'free' } as const;

function decodePeek(reply: Reply): ReadWritePeekReply {
  const word = reply.hasLength(3).text(0);
  const side = Object.hasOwn(sides, word) ? sides[word as keyof typeof sides] : reply.fail('unknown side');
  const remainingMs = side === 'free' ? undefined : reply.remainingMs(1);
  return { side, remainingMs, mine: reply.flag(2) };
}
