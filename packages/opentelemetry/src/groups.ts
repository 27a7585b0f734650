import type { Attributes } from '@opentelemetry/api';

/**
 * To which group a lock belongs, by its name: `invoice:42` is an `invoice`. There must be few groups, for each makes time series of its own; undefined
 * for a lock of none.
 */
export type GroupOf = (name: string) => string | undefined;

/** What is said of a lock where its name would be too much. @throws TypeError when the function gives something else, and what it throws. */
export function groupAttributes(name: string, group: GroupOf | undefined): Attributes {
  const found: unknown = group?.(name);
  if (found === undefined) return {};
  if (typeof found === 'string') return { 'holdfast.lock.group': found };
  // That of an async function: nobody else looks at it, and a rejection would end the process.
  if (found instanceof Promise) found.catch(() => undefined);
  throw new TypeError(
    `group must give a string or undefined, got ${found instanceof Promise ? 'a promise' : typeof found}`,
  );
}
