import type { Appointment } from '@holdfast/watchdog';
import { LockRefusedError } from '../errors.js';
import type { Coordinator } from '../exclusive/coordinator.js';
import type { ExclusiveLock } from '../exclusive/lock.js';
import { unavailable } from '../connection/unavailable.js';
import { NodeQuestions, type Questions } from '../primitives/questions.js';
import type { PeekReply } from '../tenure/operations.js';
import type { Electorate } from './electorate.js';
import type { LockNode } from './lock-node.js';
import { Quorum } from './quorum.js';
import type { RedLockOperations } from './redlock-operations.js';

/** What a handle asks about a lock by majority: every node, and what a majority of them says counts. */
export class QuorumQuestions implements Questions {
  readonly #electorate: Electorate;
  readonly #nodes: readonly { readonly node: LockNode; readonly questions: NodeQuestions }[];

  constructor(electorate: Electorate) {
    this.#electorate = electorate;
    this.#nodes = electorate.nodes.map((node) => ({ node, questions: new NodeQuestions(node.backend.parts) }));
  }

  /** Held: by anybody, at a majority. `remainingMs`: for how long, unless it is renewed. */
  async peek(operations: RedLockOperations): Promise<Pick<PeekReply, 'locked' | 'remainingMs'>> {
    const replies = await this.#ask(operations, ({ node, questions }) => questions.peek(operations.at(node)));
    const leases = replies
      .filter(({ locked }) => locked)
      .map(({ remainingMs }) => remainingMs ?? Infinity)
      .sort((a, b) => b - a);
    const remainingMs = leases[this.#electorate.majority - 1];
    if (remainingMs === undefined) return { locked: false, remainingMs: undefined };
    return { locked: true, remainingMs: Number.isFinite(remainingMs) ? remainingMs : undefined };
  }

  async holdCount(operations: RedLockOperations, { tenure, holds }: ExclusiveLock): Promise<number> {
    if (!(tenure instanceof Quorum)) return 0;
    const counts = await this.#ask(operations, ({ node, questions }) =>
      questions.holdCount(operations.at(node), { tenure: tenure.tenureAt(node) }),
    );
    return counts.filter((count) => count > 0).length < this.#electorate.majority ? 0 : holds.depth;
  }

  async force(operations: RedLockOperations, locks: () => Iterable<Coordinator>): Promise<boolean> {
    const owners = await this.#ask(operations, async ({ node, questions }) => {
      const { ownerBefore: owner } = await questions.forceOut(operations.at(node));
      for (const { tenure } of locks()) {
        const vote = tenure instanceof Quorum ? tenure.tenureAt(node) : undefined;
        if (owner !== undefined && vote?.id === owner) vote.lease.lose('force-unlocked');
      }
      return owner;
    });
    return owners.some((owner) => owner !== undefined);
  }

  /** What the nodes answer: all that do, and a majority at least. */
  async #ask<R>(
    { name }: RedLockOperations,
    question: (at: { readonly node: LockNode; readonly questions: NodeQuestions }) => Promise<R>,
  ): Promise<readonly R[]> {
    const { majority, nodes, parts } = this.#electorate;
    const replies: R[] = [];
    let failed: unknown;
    await new Promise<void>((resolve) => {
      let open = nodes.length;
      let limit: Appointment | undefined;
      const count = () => {
        open--;
        if (open === 0) {
          limit?.cancel();
          resolve();
        } else if (replies.length === majority) {
          // The slower ones have a moment: who is down must not hold up what is known.
          limit ??= parts.waits.at(parts.clock.now() + this.#electorate.nodeTimeoutMs(Infinity), resolve);
        }
      };
      for (const at of this.#nodes) {
        question(at).then(
          (reply) => {
            replies.push(reply);
            count();
          },
          (error: unknown) => {
            failed ??= error;
            count();
          },
        );
      }
    });
    if (replies.length >= majority) return replies;
    const { trouble } = this.#electorate;
    if (trouble === undefined && failed instanceof LockRefusedError) throw failed;
    throw unavailable(
      `Fewer than ${majority} of ${nodes.length} nodes have answered about lock "${name}"`,
      name,
      trouble ?? (failed instanceof Error ? failed : undefined),
    );
  }
}
