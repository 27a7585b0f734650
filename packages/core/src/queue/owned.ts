import type { Reply } from '../protocol/reply.js';

/** What who has a lock is told where several may have one at once: `Ms` is what is left of its lease, and `others` how many wait. */
export type SharedOwned<Ms> =
  | { kind: 'acquired'; remainingMs: Ms; others: number }
  | { kind: 'mine'; remainingMs: Ms; others: number; nowMs: number };

/** Undefined when the tenure has not become an owner. `leaseMs`: what it has asked for, which the shortest answer leaves out. */
export function readSharedOwned<Ms>(
  reply: Reply,
  leaseMs: Ms,
  remainingMs: (reply: Reply, index: number) => Ms,
): SharedOwned<Ms> | undefined {
  const kind = reply.text(0);
  if (kind === 'acquired' && reply.length === 1) return { kind, remainingMs: leaseMs, others: 0 };
  if (kind === 'acquired') return { kind, remainingMs: remainingMs(reply.hasLength(3), 1), others: reply.natural(2) };
  if (kind !== 'mine') return undefined;
  return {
    kind,
    remainingMs: remainingMs(reply.hasLength(4), 1),
    others: reply.natural(2),
    nowMs: reply.natural(3),
  };
}
