import type { InspectReply } from '@holdfast/core';

/** What {@link LockClient.inspect} answers. */
export interface LockInspection {
  readonly name: string;
  /** Absent when the lock is free. */
  readonly owner:
    | {
        /** Field in Redis: a tenure id of holdfast, or what another client wrote. */
        readonly id: string;
        readonly holdCount: number;
        readonly kind: 'this-client' | 'holdfast' | 'foreign';
        /** It has given the lock back, which stays taken for `remainingMs` because of its `minHoldMs`. */
        readonly resting: boolean;
      }
    | undefined;
  /** Absent when the lock is free or has no expiry. */
  readonly remainingMs: number | undefined;
  /** Waiting processes, next first. */
  readonly queue: readonly { readonly id: string; readonly waitingMs: number; readonly thisClient: boolean }[];
}

/** Puts the reply of Redis into the words of this client. */
export function inspectionOf(name: string, reply: InspectReply, clientId: string): LockInspection {
  const ours = (id: string) => id.includes(`${clientId}:`);
  const { owner, nowMs } = reply;
  return {
    name,
    owner: owner && {
      id: owner.id,
      holdCount: owner.holdCount,
      kind: owner.foreign ? 'foreign' : ours(owner.id) ? 'this-client' : 'holdfast',
      resting: owner.resting,
    },
    remainingMs: reply.remainingMs,
    queue: reply.queue.map(({ tenure, ticket }) => ({
      id: tenure,
      waitingMs: Math.max(0, nowMs - Math.ceil(ticket / 1_000)),
      thisClient: ours(tenure),
    })),
  };
}
