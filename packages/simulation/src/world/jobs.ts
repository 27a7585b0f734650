/** What Node calls between two macrotasks; it has no other name outside of Node. */
interface Ticks {
  _tickCallback?: () => void;
}

const { _tickCallback: run } = process as unknown as Ticks;

/**
 * Runs all promise jobs and `process.nextTick` callbacks, and those they cause, before it returns: what Node does between two macrotasks.
 *
 * Must be called from a macrotask, outside of any promise job. A hop through `setImmediate` or a MessageChannel does the same for 3 to 4 µs; this
 * takes half of one, and a world has some ten of them for each hold.
 */
export const finishJobs: () => void =
  run?.bind(process) ??
  (() => {
    throw new Error('This Node has no process._tickCallback: simulated worlds need it');
  });

/** Runs `world` in a macrotask of its own, where {@link finishJobs} may be called. */
export function inMacrotask<T>(world: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(world());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}
