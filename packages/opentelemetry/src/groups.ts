import type { Attributes } from '@opentelemetry/api';

/**
 * To which group a lock belongs, by its name: `invoice:42` is an `invoice`. There must be few groups, for each makes time series of its own; undefined
 * for a lock of none.
 */
export type GroupOf = (name: string) => string | undefined;

/** What is said of a lock where its name would be too much. */
export function groupAttributes(name: string, group: GroupOf | undefined): Attributes {
  const found = group?.(name);
  return found === undefined ? {} : { 'holdfast.lock.group': found };
}
