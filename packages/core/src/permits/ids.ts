import { duration, tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { SemaphoreKeys } from '../protocol/keys.js';
import type { KnownRequest } from '../protocol/known-request.js';
import type { Command } from '../protocol/script-port.js';
import { type Granting, trustArgument } from '../queue/granting.js';
import { type Lease, leaseArgument } from '../protocol/lease.js';
import { keysAbout } from './keys-about.js';
import { type PermitsAskReply, readPermitsAsk } from './ask.js';
import { adopt as adopting, issue as issuing, takeback as takingBack, until as setting } from './scripts.gen.js';

/** Most permits with ids that are issued or taken back by one command. */
export const MAX_IDS = 1_000;

/** Arguments of {@link issue}. */
export interface IssueOptions {
  readonly tenure: string;
  /** As many as the tenure has permits, in the form of tenure ids. */
  readonly ids: readonly string[];
  readonly leaseMs: Lease;
  /** How long late asks of the tenure are refused, and copies of this are recognised, in ms. */
  readonly tombstoneMs: number;
}

/** Reply to {@link issue}. */
export interface IssueReply {
  readonly kind: 'issued' | 'lost';
}

/** Turns the permits of a tenure into permits with ids, each with its own lease. The tenure is over then. */
export function issue(keys: SemaphoreKeys, { tenure, ids, leaseMs, tombstoneMs }: IssueOptions): Command<IssueReply> {
  return command(
    issuing,
    keysAbout(tenure, keys),
    {
      tenure,
      ids: idsArgument(ids),
      leaseMs: leaseArgument(leaseMs),
      tombstoneMs: duration('tombstoneMs', tombstoneMs, 1),
    },
    (reply) => ({ kind: reply.status({ issued: 1, lost: 1 }) }),
  );
}

/** Turns the permits of ids into those of a tenure, all of them or none. It is answered as an `ask` of that tenure; `busy`: one of the ids stands for none. */
export function adopt(
  keys: SemaphoreKeys,
  { tenure, ids, leaseMs }: Omit<IssueOptions, 'tombstoneMs'>,
): Command<PermitsAskReply> {
  return command(
    adopting,
    keysAbout(tenure, keys),
    { tenure, ids: idsArgument(ids), leaseMs: leaseArgument(leaseMs) },
    readPermitsAsk(leaseMs),
  );
}

/** Reply to {@link takeBack}. `left`: waiters that are to be served by `serve`. */
export interface TakeBackReply {
  /** How many permits are back: all, or 0 when one of the ids stands for none. */
  readonly returned: number;
  readonly left: number;
}

/** Takes permits back by their ids, all of them or none, and serves who waits. */
export function takeBack(
  keys: SemaphoreKeys,
  { ids, request, ...options }: KnownRequest & Granting & { readonly ids: readonly string[] },
): Command<TakeBackReply> {
  return command(
    takingBack,
    keysAbout(request, keys),
    {
      ids: idsArgument(ids),
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 1),
      claimMs: duration('claimMs', options.claimMs, 1),
      trust: trustArgument(options),
      releaseChannel: keys.releaseChannel,
    },
    (reply) => ({ returned: reply.says('returned', 3).natural(1), left: reply.natural(2) }),
  );
}

/** Sets when the lease of the permit `id` ends; `leaseMs` from now, or never. Answers whether there is such a permit. */
export function setLease(
  keys: SemaphoreKeys,
  { id, leaseMs, request, tombstoneMs }: KnownRequest & { readonly id: string; readonly leaseMs: Lease },
): Command<boolean> {
  return command(
    setting,
    keysAbout(request, keys),
    { id: tenureId(id), leaseMs: leaseArgument(leaseMs), tombstoneMs: duration('tombstoneMs', tombstoneMs, 1) },
    (reply) => reply.says('leased', 2).flag(1),
  );
}

function idsArgument(ids: readonly string[]): string {
  if (ids.length === 0 || ids.length > MAX_IDS || new Set(ids).size < ids.length)
    throw new RangeError(`ids must be 1 to ${MAX_IDS} different ones`);
  return ids.map(tenureId).join(' ');
}
