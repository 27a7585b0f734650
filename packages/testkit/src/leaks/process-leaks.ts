import { inspect } from 'node:util';
import { realProcess } from './real-process.js';

/** Warnings that say that something is left behind or out of range. Others may be meant. */
const telltaleWarnings = new Set([
  'MaxListenersExceededWarning',
  'PromiseRejectionHandledWarning',
  'TimeoutNaNWarning',
  'TimeoutNegativeWarning',
  'TimeoutOverflowWarning',
]);

/** How many of each kind keep the event loop alive: `TCPSocketWrap`, `ProcessWrap` … */
export type Resources = ReadonlyMap<string, number>;

/** What keeps the event loop alive now, timers apart (see `TimerWatch`). Unref'd sockets do not count. */
export function activeResources(): Resources {
  const counts = new Map<string, number>();
  for (const kind of realProcess().getActiveResourcesInfo()) {
    if (kind !== 'Timeout') counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** What there is more of in `after`, as sentences. */
export function addedResources(before: Resources, after: Resources): string[] {
  return [...after].flatMap(([kind, count]) => {
    const added = count - (before.get(kind) ?? 0);
    return added > 0 ? [`${added} more ${kind} than before the test`] : [];
  });
}

/** Notes what the process complains about while it is open. */
export class ComplaintLog {
  readonly #entries: string[] = [];
  readonly #onRejection = (reason: unknown): void => {
    this.#entries.push(`unhandled rejection: ${inspect(reason)}`);
  };
  readonly #onWarning = (warning: Error): void => {
    if (telltaleWarnings.has(warning.name)) this.#entries.push(`process warning: ${warning.name}: ${warning.message}`);
  };

  open(): void {
    this.#entries.length = 0;
    realProcess().on('unhandledRejection', this.#onRejection).on('warning', this.#onWarning);
  }

  /** Ends the notes and gives them. */
  close(): string[] {
    realProcess().off('unhandledRejection', this.#onRejection).off('warning', this.#onWarning);
    return [...this.#entries];
  }
}
