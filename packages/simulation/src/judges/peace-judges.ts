/** The judges of who comes to its turn, and when, in worlds in which nothing is broken. */

import type { Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import type { OpenHold, Side } from './exclusion.js';
import { OrderJudge } from './order.js';
import { ProcessOrderJudge } from './process-order.js';
import { ReaderJudge } from './readers.js';
import { TurnJudge } from './turns.js';
import type { Violation } from './violation.js';
import type { Wait } from './wait.js';
import { WakeupJudge } from './wakeups.js';

/** See the module comment. Of another world none of them judges anything. */
export class PeaceJudges {
  readonly #wakeups: WakeupJudge | undefined;
  readonly #order: OrderJudge | undefined;
  readonly #processOrder: ProcessOrderJudge | undefined;
  readonly #turns: TurnJudge | undefined;
  readonly #readers: ReaderJudge | undefined;

  constructor(scenario: Scenario, report: (violation: Violation) => void) {
    const { kind, others, wakeup } = scenario;
    if (scenario.class !== 'calm') return;
    // In a fair lock each call is served in its turn, whichever process made it.
    if (kind !== 'fair') this.#processOrder = new ProcessOrderJudge(scenario, report);
    // Whom somebody floods with messages may be late for its turn, at every lock.
    if (others.some((one) => one.kind === 'later' && one.forgeries.length > 0)) return;
    this.#wakeups = new WakeupJudge(scenario, report);
    // Nobody stands in line where Redisson's messages wake.
    if (wakeup !== 'queue') return;
    this.#readers = new ReaderJudge(scenario, report);
    if (kind === 'fair') this.#order = new OrderJudge(scenario, report);
    else this.#turns = new TurnJudge(scenario, report);
  }

  waits(process: WorldProcess, lock: string, side: Side): readonly (Wait | undefined)[] {
    const time = () => process.time;
    return [
      this.#wakeups?.waits(process.time, lock),
      this.#order?.waits(time, lock),
      this.#processOrder?.waits(process, lock),
      this.#turns?.waits(process, lock),
      this.#readers?.waits(time, lock, side),
    ];
  }

  entered(now: number, entry: OpenHold): void {
    this.#wakeups?.entered(now, entry.lock);
    this.#turns?.entered(now, entry);
    this.#readers?.entered(entry);
  }

  /** `holders`: how many are open now that it has left. `freeAt`: now, or later when it rests. */
  left(now: number, entry: OpenHold, holders: number, freeAt: number): void {
    this.#readers?.left(now, entry);
    this.#wakeups?.left(entry, holders, freeAt);
  }
}
