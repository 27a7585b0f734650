/**
 * Notices locks that no code can give back any more, because what would be needed for it was garbage-collected: the `Hold` of an `acquire()`, or
 * the handle through which `lock()` took it outside scopes.
 *
 * A FinalizationRegistry tells, some time after a collection, perhaps never. It cannot see a hold that is dropped while something else keeps it,
 * such as a listener on its signal that names it; nor a `lock()` that is not awaited on a handle that is kept. Registering costs as much as a tenth of
 * a round trip, so it is done only while the event has a listener.
 */

import type { ReportedHold, Reporter } from './reporter.js';

/** A hold that may be over. */
export interface ForgettableHold extends ReportedHold {
  readonly terms: { readonly mode: 'fixed' | 'watched' };
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
}

/** See the module comment. */
export class Forgotten {
  readonly #reporter: Reporter;
  readonly #registry: FinalizationRegistry<ForgettableHold>;

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
    this.#registry = new FinalizationRegistry((hold) => {
      if (hold.state === 'held' || hold.state === 'suspect') reporter.leaked(hold, 'collected');
    });
  }

  /** @param keeper - what is needed to give `hold` back, and must not be reachable from it. @param name - for {@link unwatch}. */
  watch(keeper: object, hold: ForgettableHold, name: object): void {
    // A fixed lease ends by itself, and may be meant to.
    if (hold.terms.mode !== 'watched' || !this.#reporter.wantsLeaks) return;
    // The caller may have been a method of what is to keep the hold.
    void hold.site?.text;
    this.#registry.register(keeper, hold, name);
  }

  /** It is given back. */
  unwatch(name: object): void {
    if (this.#reporter.wantsLeaks) this.#registry.unregister(name);
  }
}
