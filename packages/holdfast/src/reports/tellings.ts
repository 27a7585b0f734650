/**
 * What users are told, told when locks have come to rest.
 *
 * An abort listener, a listener of an event and a subscriber of a diagnostics channel run at once, inside whatever caused them, and may call
 * the very lock they hear of. In the middle of a change they would see half of it, and what they call would change it again. So a change is
 * bracketed by `hold` and `release`: what is to be told meanwhile waits, in order, for the end of the outermost one. A telling that throws
 * keeps none of the others from being told, and breaks nothing of the change: it is a process warning.
 */

import { describeThrown } from './thrown.js';

/** See the module comment. One for all locks of a client. */
export class Tellings {
  /** Changes under way, inside each other. */
  #changes = 0;
  #waiting: (() => void)[] = [];

  /** A change begins. */
  hold(): void {
    this.#changes++;
  }

  /** It is complete. */
  release(): void {
    this.#changes--;
    if (this.#waiting.length > 0) this.#tellAll();
  }

  /** Runs `telling` as soon as no change is under way, which may be now. */
  tell(telling: () => void): void {
    this.#waiting.push(telling);
    this.#tellAll();
  }

  /** What a telling causes is told after what waits already, and before the call that caused it returns. */
  #tellAll(): void {
    while (this.#changes === 0) {
      const telling = this.#waiting.shift();
      if (telling === undefined) return;
      try {
        telling();
      } catch (error) {
        warn(error);
      }
    }
  }
}

function warn(error: unknown): void {
  process.emitWarning(`Telling the application of a lock failed: ${describeThrown(error)}`, 'HoldfastWarning');
}
