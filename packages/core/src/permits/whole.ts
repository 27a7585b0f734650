import { decodeServed, type ServeReply } from '../lock/serve.js';
import { duration, inRange, MOST_PERMITS } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { SemaphoreKeys } from '../protocol/keys.js';
import type { KnownRequest } from '../protocol/known-request.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { type Granting, trustArgument } from '../queue/granting.js';
import { keysAbout } from './keys-about.js';
import { count as counting, peek as peeking, serve as serving } from './scripts.gen.js';

/** How the number of permits is changed. */
export type Counting =
  /** So many, unless there is a semaphore. `ttlMs`: how long it lasts; absent: until it is deleted. */
  | { readonly how: 'begin'; readonly permits: number; readonly ttlMs?: number | undefined }
  /** So many more, or fewer. */
  | { readonly how: 'add'; readonly permits: number }
  /** So many, with those that are in use. */
  | { readonly how: 'total'; readonly permits: number };

/** Arguments of {@link count}. */
export interface CountOptions extends Granting, KnownRequest {
  readonly change: Counting;
}

/** Reply to {@link count}. */
export interface CountReply {
  readonly kind: 'counted';
  /** False: there was a semaphore already. */
  readonly changed: boolean;
  readonly left: number;
}

/** Changes how many permits there are, and serves who waits. A copy is answered as the first. */
export function count(keys: SemaphoreKeys, { change, request, ...options }: CountOptions): Command<CountReply> {
  return command(
    counting,
    keysAbout(request, keys),
    {
      how: change.how,
      n: inRange('permits', change.permits, change.how === 'add' ? -MOST_PERMITS : 0, MOST_PERMITS),
      ttlMs: change.how === 'begin' && change.ttlMs !== undefined ? duration('ttlMs', change.ttlMs, 1) : 0,
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 1),
      claimMs: duration('claimMs', options.claimMs, 1),
      trust: trustArgument(options),
      releaseChannel: keys.releaseChannel,
    },
    (reply) => ({ kind: reply.status({ counted: 3 }), changed: reply.flag(1), left: reply.natural(2) }),
  );
}

/** Goes on with a grant step that met its limit, and gives back what leases had that have ended. */
export function serve(keys: SemaphoreKeys, options: Granting): Command<ServeReply> {
  const { releaseChannel } = keys;
  return command(
    serving,
    keys,
    { claimMs: duration('claimMs', options.claimMs, 1), trust: trustArgument(options), releaseChannel },
    decodeServed,
  );
}

/** Reply to {@link peek}. */
export type PermitsPeekReply =
  | {
      readonly kind: 'counts';
      /** Permits that nobody has; of a semaphore that was made smaller it may be negative. */
      readonly free: number;
      /** Permits that tenures have. */
      readonly used: number;
      /** Permits that Redisson's clients have of its expirable semaphore. */
      readonly javas: number;
      /** Tenures that wait. */
      readonly waiting: number;
    }
  /** There is no semaphore. */
  | { readonly kind: 'none' };

/** How many permits are free, in use, and waited for. Writes nothing. */
export function peek(keys: SemaphoreKeys): Command<PermitsPeekReply> {
  return command(peeking, keys, {}, decodePeek);
}

function decodePeek(reply: Reply): PermitsPeekReply {
  const kind = reply.status({ counts: 5, none: 1 });
  if (kind === 'none') return { kind };
  return {
    kind,
    free: reply.integer(1),
    used: reply.natural(2),
    javas: reply.natural(3),
    waiting: reply.natural(4),
  };
}
