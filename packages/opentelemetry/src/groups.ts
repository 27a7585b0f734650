import type { Attributes } from '@opentelemetry/api';

/**
 * To which group a lock belongs, by its name: `invoice:42` is an `invoice`. There must be few groups, for each makes time series of its own; undefined
 * for a lock of none. A lock at which it throws, or for which it gives anything else, has none either, and the process is warned once (`HOLDFAST_GROUP`).
 */
export type GroupOf = (name: string) => string | undefined;

/** Those of which the process was warned. */
const failing = new WeakSet<GroupOf>();

/** What is said of a lock where its name would be too much. */
export function groupAttributes(name: string, group: GroupOf | undefined): Attributes {
  if (group === undefined) return {};
  try {
    const found: unknown = group(name);
    if (found === undefined) return {};
    if (typeof found === 'string') return { 'holdfast.lock.group': found };
    // That of an async function: nobody else looks at it, and a rejection would end the process.
    if (found instanceof Promise) found.catch(() => undefined);
    warn(group, `it gave ${kindOf(found)}`);
  } catch (error) {
    warn(group, `it threw ${error instanceof Error ? error.message : typeof error}`);
  }
  return {};
}

function kindOf(found: unknown): string {
  if (found === null) return 'null';
  if (found instanceof Promise) return 'a promise';
  return typeof found === 'object' ? 'an object' : `a ${typeof found}`;
}

function warn(group: GroupOf, why: string): void {
  if (failing.has(group)) return;
  failing.add(group);
  process.emitWarning(
    `The group function of @holdfast/opentelemetry must give a string or undefined, and ${why}: such locks are measured without a group`,
    { type: 'HoldfastWarning', code: 'HOLDFAST_GROUP' },
  );
}
