import type { Model } from '../../src/check/linear/models.js';
import type { AnyAction, Operation } from '../../src/check/linear/operation.js';

/** Tries every order, with none of the search's cleverness: for a handful of operations. */
export function hasOrder<S, A extends AnyAction>(
  model: Model<S, A>,
  operations: readonly Operation<A>[],
  state: S = model.initial,
): boolean {
  if (operations.length === 0) return true;
  return operations.some((operation) => {
    const rest = operations.filter((other) => other !== operation);
    if (rest.some(({ returnedAt }) => returnedAt < operation.invokedAt)) return false;
    const next = model.step(state, operation.action);
    return next !== undefined && hasOrder(model, rest, next);
  });
}
