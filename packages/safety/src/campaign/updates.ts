/** How many writes there were to what the locks guard, and how many of them by a writer that knew afterwards that its lock was gone. */
import type { HistoryEvent } from '../history/event.js';

/** `stale`: such a write may have overwritten another one, which no lock can prevent; see `worker/guard.ts`. */
export interface Updates {
  readonly updates: number;
  readonly staleUpdates: number;
}

/** @param events those of one worker in their order; of several workers in any. */
export function countUpdates(events: Iterable<HistoryEvent>): Updates {
  const written = new Set<string>();
  let updates = 0;
  let staleUpdates = 0;
  for (const event of events) {
    if (event.f !== 'store' && event.f !== 'work') continue;
    const level = `${event.worker}/${event.hold}`;
    if (event.f === 'store') written.add(level);
    else if (written.delete(level)) {
      updates++;
      if (event.state === 'lost' || event.state === 'released') staleUpdates++;
    }
  }
  return { updates, staleUpdates };
}
