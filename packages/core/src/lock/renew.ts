import { tenureId } from '../protocol/arguments.js';
import type { Operation } from '../protocol/operation.js';
import type { LockKeys } from '../protocol/keys.js';
import { type Lease, leaseArgument } from '../protocol/lease.js';
import { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { renew as operation } from './scripts.gen.js';

/** One hold to be renewed. */
export interface RenewItem {
  readonly keys: Pick<LockKeys, 'lock'>;
  readonly tenure: string;
  /** Raise the remaining lease to this, in ms; 0: only verify. It is never shortened. */
  readonly leaseMs: number;
}

/** What became of one {@link RenewItem}. */
export type RenewOutcome =
  /** The lease has been raised. */
  | { kind: 'renewed'; remainingMs: number }
  /** Still the owner, and the lease was long enough (undefined: it has no TTL; any `leaseMs` repairs that). */
  | { kind: 'held'; remainingMs: number | undefined }
  /** Not the owner any more. `taken` also when the key has become something else than a lock. */
  | { kind: 'lost'; reason: 'deleted' | 'taken' }
  /** Redis refused this one; the message is its error reply. Nothing is known about the hold. */
  | { kind: 'refused'; message: string };

/** Reply to {@link renew}: server time, and one outcome for each item, in order. */
export interface RenewReply {
  readonly nowMs: number;
  readonly outcomes: readonly RenewOutcome[];
}

/**
 * Raises any number of leases in one command, and tells which holds are lost; it never creates or revives one. Also
 * claims a granted lock. The items do not disturb each other. In Cluster one item is one command: keys of one slot need
 * not be on one server while it moves.
 */
export function renew(items: readonly RenewItem[]): Command<RenewReply> {
  return renewal(operation, items);
}

/** By the script that renews leases of one kind. */
export function renewal<Key extends string>(
  script: Operation<Key, 'tenure' | 'leaseMs'>,
  items: readonly { keys: Readonly<Record<Key, string>>; tenure: string; leaseMs: Lease }[],
): Command<RenewReply> {
  return {
    script,
    keys: items.flatMap(({ keys }) => script.keys(keys)),
    args: items.flatMap(({ tenure, leaseMs }) =>
      script.args({ tenure: tenureId(tenure), leaseMs: leaseArgument(leaseMs, 0) }),
    ),
    decode: (raw) => decodeRenewals(new Reply(script.name, raw).hasLength(items.length + 1)),
  };
}

function decodeRenewals(reply: Reply): RenewReply {
  const outcomes: RenewOutcome[] = [];
  for (let index = 1; index < reply.length; index++) outcomes.push(outcome(reply.list(index)));
  return { nowMs: reply.natural(0), outcomes };
}

const outcomes = { renewed: 2, held: 2, lost: 2, refused: 2 } as const;

function outcome(reply: Reply): RenewOutcome {
  const kind = reply.status(outcomes);
  switch (kind) {
    case 'renewed':
      return { kind, remainingMs: reply.natural(1) };
    case 'held':
      return { kind, remainingMs: reply.remainingMs(1) };
    case 'refused':
      return { kind, message: reply.text(1) };
    case 'lost': {
      const reason = reply.text(1);
      return reason === 'deleted' || reason === 'taken' ? { kind, reason } : reply.fail('unknown reason');
    }
  }
}
