/**
 * Is there an order of the operations that the model allows, each between its invocation and its return?
 *
 * The algorithm of Wing and Gong ("Testing and verifying concurrent objects", 1993) with the memory of Lowe ("Testing for
 * linearizability", 2017): a depth-first search that takes one operation after the other from the list of those not yet
 * placed, and never explores twice what is the same set of placed operations in the same state. Deciding this is NP-complete in
 * general; with an owner in the state nearly every wrong guess fails at once.
 *
 * - An operation may come next when none that is unplaced had returned before it was invoked. The list is ordered by invocation, so
 *   these stand at its front.
 * - Those that had to return first are tried first: on a lock with a long line, that is nearly always the one.
 * - What changes nothing now and can never change anything (a look at a latch) is placed at once and without alternative. So is what only
 *   gives something back, when no other operation of its owner can come before it: the sooner it has gone, the more the others may do.
 * - What never returned need not be placed: it is no option where it would change nothing, and the search ends without it.
 * - Of operations that do the same (two calls that count a latch down), the one that returned first is tried alone: with the other in its
 *   place it could only come too late.
 * - Where all that returned up to some point is placed (a quiescent cut among others), the memory of what was before is dropped; only
 *   the state at the cut is kept, and what may still take effect.
 */
import type { Model } from './models.js';
import type { Action, AnyAction, LatchAction, Operation } from './operation.js';

export type Answer =
  | { readonly kind: 'linearizable'; readonly steps: number }
  | {
      readonly kind: 'not-linearizable';
      readonly steps: number;
      /** Operations that could be placed, at most. */
      readonly placed: number;
      /** The first that could not, in the attempt that came furthest, and the state that it met there. */
      readonly stuck: Operation<AnyAction>;
      readonly state: string;
    }
  /** The budget was used up. */
  | { readonly kind: 'unknown'; readonly steps: number };

interface Node<A extends AnyAction> {
  readonly index: number;
  readonly operation: Operation<A>;
  /** Equal for those that do the same. */
  readonly does: string;
  previous: Node<A>;
  next: Node<A>;
}

interface Frame<S, A extends AnyAction> {
  readonly state: S;
  readonly options: readonly { readonly node: Node<A>; readonly state: S }[];
  tried: number;
  readonly highest: number;
}

/** `budget`: steps (operations tried) at most. */
export function search<S, A extends AnyAction>(
  model: Model<S, A>,
  operations: readonly Operation<A>[],
  budget = 5_000_000,
): Answer {
  const line = new Line(operations);
  const visited = new Set<string>();
  const cuts = new Set<string>();
  const stack: Frame<S, A>[] = [];
  let steps = 0;
  let furthest: { placed: number; stuck: Operation<A>; state: string } | undefined;

  let frame: Frame<S, A> | undefined = {
    state: model.initial,
    options: optionsAt(model, line, model.initial),
    tried: 0,
    highest: -1,
  };
  while (frame !== undefined) {
    const first = line.firstReturned;
    if (first === undefined) return { kind: 'linearizable', steps };
    const option: Frame<S, A>['options'][number] | undefined = frame.options[frame.tried];
    if (option === undefined) {
      if (furthest === undefined || stack.length > furthest.placed) {
        furthest = {
          placed: stack.length,
          stuck: line.mostUrgent ?? first.operation,
          state: model.key(frame.state),
        };
      }
      frame = stack.pop();
      const undone: Node<A> | undefined = frame?.options[frame.tried - 1]?.node;
      if (undone !== undefined) line.putBack(undone);
      continue;
    }
    frame.tried += 1;
    steps += 1;
    if (steps > budget) return { kind: 'unknown', steps };
    line.take(option.node);
    const highest = Math.max(frame.highest, option.node.index);
    const isCut = (line.firstReturned?.index ?? Infinity) > highest;
    const key = `${line.gaps(highest)}|${highest}|${model.key(option.state)}`;
    const seen = isCut ? cuts : visited;
    if (seen.has(key)) {
      line.putBack(option.node);
      continue;
    }
    if (isCut) visited.clear();
    seen.add(key);
    stack.push(frame);
    frame = { state: option.state, options: optionsAt(model, line, option.state), tried: 0, highest };
  }
  if (furthest === undefined) throw new Error('a search that never failed');
  return { kind: 'not-linearizable', steps, ...furthest };
}

function optionsAt<S, A extends AnyAction>(model: Model<S, A>, line: Line<A>, state: S): Frame<S, A>['options'] {
  const options: { node: Node<A>; state: S }[] = [];
  for (const node of line.candidates()) {
    const { action, returnedAt } = node.operation;
    const next = model.step(state, action);
    if (next === undefined) continue;
    const changesNothing = next === state;
    if (isHarmless(node, changesNothing, line)) return [{ node, state: next }];
    if (returnedAt < Infinity || !changesNothing) options.push({ node, state: next });
  }
  options.sort((a, b) => a.node.operation.returnedAt - b.node.operation.returnedAt);
  const tried = new Set<string>();
  return options.filter(({ node: { does } }) => !tried.has(does) && tried.add(does));
}

/** If there is an order in which it comes later, there is one in which it comes now. */
function isHarmless<A extends AnyAction>(node: Node<A>, changesNothing: boolean, line: Line<A>): boolean {
  const action: Action | LatchAction = node.operation.action;
  switch (action.kind) {
    case 'release':
      // A writer that goes on reading can lose that to a force which had nothing to take while it wrote.
      if (action.side === undefined && line.forcesReaders) return false;
      return !line.hasOther(node, action.owner);
    case 'expire':
      return !line.hasOther(node, action.owner);
    case 'see':
      return true;
    case 'set':
      return changesNothing && action.begun === false;
    default:
      return false;
  }
}

/** The operations that are not placed yet, by invocation: a list with links, so that one is taken and put back in one step. */
class Line<A extends AnyAction> {
  readonly #head: Node<A>;
  /** What is in the list of each owner. */
  readonly #ofOwner = new Map<string, Set<Node<A>>>();
  /** What is in the list that takes a lock from its readers. */
  readonly #forces = new Set<Node<A>>();

  constructor(operations: readonly Operation<A>[]) {
    const nowhere = { invokedAt: 0, returnedAt: 0, id: '', action: { kind: 'force' } } as const;
    const head = { index: -1, operation: nowhere, does: '' } as Node<AnyAction> as Node<A>;
    head.previous = head;
    head.next = head;
    this.#head = head;
    for (const [index, operation] of [...operations].sort((a, b) => a.invokedAt - b.invokedAt).entries()) {
      const does = JSON.stringify(operation.action);
      const node: Node<A> = { index, operation, does, previous: head.previous, next: head };
      head.previous.next = node;
      head.previous = node;
      this.#ownedWith(node)?.add(node);
    }
  }

  get forcesReaders(): boolean {
    return this.#forces.size > 0;
  }

  /** May another operation of this owner come before it, and matter? What ends at any time, or never, does not. */
  hasOther(node: Node<A>, owner: string): boolean {
    for (const other of this.#ofOwner.get(owner) ?? []) {
      const { invokedAt, returnedAt, action } = other.operation;
      const matters = returnedAt < Infinity || (action.kind === 'acquire' && node.operation.returnedAt < Infinity);
      if (other !== node && matters && invokedAt <= node.operation.returnedAt) return true;
    }
    return false;
  }

  /** Of those that must be placed, the one that was invoked first. */
  get firstReturned(): Node<A> | undefined {
    let node = this.#head.next;
    while (node !== this.#head && node.operation.returnedAt === Infinity) node = node.next;
    return node === this.#head ? undefined : node;
  }

  /** Of the operations that may come next, the one that returned first. */
  get mostUrgent(): Operation<A> | undefined {
    let urgent: Operation<A> | undefined;
    for (const { operation } of this.candidates()) {
      if (urgent === undefined || operation.returnedAt < urgent.returnedAt) urgent = operation;
    }
    return urgent;
  }

  *candidates(): Generator<Node<A>> {
    let earliestReturn = Infinity;
    for (let node = this.#head.next; node !== this.#head; node = node.next) {
      if (node.operation.invokedAt > earliestReturn) return;
      earliestReturn = Math.min(earliestReturn, node.operation.returnedAt);
      yield node;
    }
  }

  /** The unplaced ones before `highest`: with it, they name the set of those that are placed. */
  gaps(highest: number): string {
    let text = '';
    for (let node = this.#head.next; node !== this.#head && node.index < highest; node = node.next)
      text += `${node.index},`;
    return text;
  }

  take(node: Node<A>): void {
    node.previous.next = node.next;
    node.next.previous = node.previous;
    this.#ownedWith(node)?.delete(node);
  }

  putBack(node: Node<A>): void {
    node.previous.next = node;
    node.next.previous = node;
    this.#ownedWith(node)?.add(node);
  }

  #ownedWith({ operation: { action } }: Node<A>): Set<Node<A>> | undefined {
    if (action.kind === 'force' && action.from === 'readers') return this.#forces;
    if (!('owner' in action)) return undefined;
    let nodes = this.#ofOwner.get(action.owner);
    if (nodes === undefined) this.#ofOwner.set(action.owner, (nodes = new Set()));
    return nodes;
  }
}
