/**
 * Notices a call that waits for a lock which its own process has not let go of for as long as it has waited: most often a nested call
 * outside any scope, which can never succeed. Nobody can tell it from an honest wait, so it is reported and not refused.
 */

import type { Appointment } from '@holdfast/watchdog';
import type { Contender } from './contender.js';
import type { Level } from './level.js';
import type { Line } from './line.js';
import type { Parts } from './parts.js';

const PATIENCE_MS = 1_000;
/** Shortest time between two looks: the line may be long. */
const PAUSE_MS = 100;

/** One lock's self-wait watch: one appointment, only while somebody waits. */
export class SelfWait {
  readonly #lock: { readonly name: string; readonly levels: readonly Level[] };
  readonly #line: Line;
  readonly #parts: Parts;
  #next: Appointment | undefined;

  constructor(lock: { readonly name: string; readonly levels: readonly Level[] }, line: Line, parts: Parts) {
    this.#lock = lock;
    this.#line = line;
    this.#parts = parts;
  }

  /** Somebody waits. */
  watch(): void {
    if (this.#next === undefined && this.#lock.levels.length > 0) this.#lookAt(this.#parts.clock.now() + PATIENCE_MS);
  }

  #lookAt(time: number): void {
    this.#next = this.#parts.waits.at(time, () => this.#look());
  }

  /** Nobody waits any more. */
  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  #look(): void {
    this.#next = undefined;
    const holder = this.#lock.levels[0];
    if (this.#line.size === 0 || holder === undefined) return;
    const now = this.#parts.clock.now();
    let next = now + PATIENCE_MS;
    for (const contender of this.#line) {
      const due = contender.joinedAt + PATIENCE_MS;
      if (due > now) next = Math.min(next, due);
      if (stuck(contender, holder, now)) {
        contender.warned = true;
        this.#parts.reporter.selfWait(this.#lock.name, contender.request.site, holder.site);
      }
    }
    this.#lookAt(Math.max(next, now + PAUSE_MS));
  }
}

function stuck(contender: Contender, holder: Level, now: number): boolean {
  return (
    !contender.warned && now - contender.joinedAt >= PATIENCE_MS && holder.given && holder.since <= contender.joinedAt
  );
}
