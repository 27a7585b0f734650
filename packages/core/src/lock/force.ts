import { duration } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { KnownRequest } from '../protocol/known-request.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { keysAbout } from './keys-about.js';
import { force as operation } from './scripts.gen.js';
import { type Granting, trustArgument } from '../queue/granting.js';

/** Arguments of {@link force}. */
export interface ForceOptions extends Granting, KnownRequest {}

/** Reply to {@link force}; `ownerBefore` is undefined when the lock was free. */
export interface ForceReply {
  readonly kind: 'forced';
  readonly ownerBefore: string | undefined;
  /** The others, where readers had it: of a read-write lock. */
  readonly alsoBefore: readonly string[];
  /** Waiters of the lock, free now, that are to be served by {@link serve}. */
  readonly left: number;
}

/**
 * Takes the lock from its owner, holdfast's or foreign, and passes it on or frees it; a read-write lock from all who hold it. A holdfast owner is told in
 * its inbox (`lost <tenure> force-unlocked`); until that arrives it still believes that it holds the lock. Refused (`NOTALOCK`), with nothing written
 * or deleted, when the key is not a lock by its shape.
 */
export function force(keys: LockKeys, options: ForceOptions): Command<ForceReply> {
  return command(
    operation,
    keysAbout(options.request, keys),
    {
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 1),
      claimMs: duration('claimMs', options.claimMs, 1),
      trust: trustArgument(options),
      releaseChannel: keys.releaseChannel,
    },
    decode,
  );
}

function decode(reply: Reply): ForceReply {
  const kind = reply.status({ forced: 3 });
  const [ownerBefore, ...alsoBefore] = reply.text(1).split(' ').filter(Boolean);
  return { kind, ownerBefore, alsoBefore, left: reply.natural(2) };
}
