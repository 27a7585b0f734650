/**
 * Losses of explicit owners of which no `unlock()` has told yet. Nothing else remembers them: such a level belongs to no scope, and any
 * handle of the owner may unlock it. Whoever never unlocks what ran out must not cost memory for ever, so only the latest are kept.
 */

import type { Level } from './level.js';

/** Owners of a lock that are remembered, at some 700 bytes each. */
const MOST = 1_000;

/** See the module comment. */
export class UntoldLosses {
  /** Innermost last. The owner that lost something first comes first. */
  readonly #levels = new Map<string, Level[]>();

  add(name: string, owner: string, level: Level): void {
    const key = keyOf(name, owner);
    const known = this.#levels.get(key);
    if (known !== undefined) {
      known.push(level);
      return;
    }
    this.#levels.set(key, [level]);
    const [oldest] = this.#levels.keys();
    if (this.#levels.size > MOST && oldest !== undefined) this.#levels.delete(oldest);
  }

  /** The innermost that is still to be told; told it is by releasing it. */
  take(name: string, owner: string): Level | undefined {
    const key = keyOf(name, owner);
    const levels = this.#levels.get(key);
    let level = levels?.pop();
    while (level?.lossTold) level = levels?.pop();
    if (levels?.length === 0) this.#levels.delete(key);
    return level;
  }

  /** The owner has taken the lock again, which it could not inside what it lost. */
  forget(name: string, owner: string): void {
    if (this.#levels.size > 0) this.#levels.delete(keyOf(name, owner));
  }
}

/** Owners have no white space in them. */
function keyOf(name: string, owner: string): string {
  return `${owner} ${name}`;
}
