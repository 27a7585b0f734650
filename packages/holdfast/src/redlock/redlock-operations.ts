import { LockOperations } from '../primitives/lock-operations.js';
import type { LockNode } from './lock-node.js';

/**
 * The operations of a lock by majority: those of the re-entrant lock, on the same keys, at each node. The ones of its own stand for the lock as a
 * whole and are never sent.
 */
export class RedLockOperations extends LockOperations {
  readonly #nodes: ReadonlyMap<LockNode, LockOperations>;

  constructor(name: string, nodes: readonly LockNode[]) {
    const each = nodes.map((node) => [node, node.backend.lockOperations(name)] as const);
    const [first] = nodes as readonly [LockNode];
    super(first.backend.lockKeys(name), first.backend.granting, 'redlock');
    this.#nodes = new Map(each);
  }

  override get mayFollow(): boolean {
    return false;
  }

  override get rest(): undefined {
    return undefined;
  }

  /** On one of the nodes. */
  at(node: LockNode): LockOperations {
    return this.#nodes.get(node) as LockOperations;
  }
}
