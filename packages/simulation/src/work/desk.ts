/** What a task of a simulated process works with: its client, its chance, and the judges it tells what it does. */

import type { Hold, LockClient, RedLockClient } from 'holdfast';
import type { OpenHold, Side } from '../judges/exclusion.js';
import type { OtherJudges } from '../judges/others.js';
import type { Wait } from '../judges/wait.js';
import type { Habits } from '../plan/habits.js';
import type { LockKind, OtherPlan, ScenarioClass } from '../plan/scenario.js';
import type { Chance } from '../world/chance.js';
import type { WorldProcess } from '../world/process.js';

/** What tasks tell the world. */
export interface Witness {
  /** A caller has a lock. `hold`: undefined for an imperative one. */
  enter(desk: Desk, lock: string, hold: Hold | undefined, inside: OpenHold | undefined, side?: Side): OpenHold;
  /** A caller has something else: permits, a round of a latch, a leadership. */
  hasOther(desk: Desk, name: string): void;
  /** It begins to give it back. */
  leave(entry: OpenHold): void;
  /** An imperative hold was held to its end. */
  confirm(entry: OpenHold): void;
  /** A caller waits for a lock, until it has it or gives up. */
  waits(desk: Desk, lock: string, side?: Side): Wait;
  /** A holder looks at the lease that it asked for. */
  leased(entry: OpenHold, leaseMs: number): void;
  /** A caller waits for so long at most. What is returned is to be called when it is answered, and may be called again. */
  mayWait(desk: Desk, lock: string, waitMs: number): () => void;
  /** The hold count that Redis tells and the one that the scope knows. */
  counted(desk: Desk, lock: string, entry: OpenHold, expected: number, counted: number): void;
  /** A call of a task has failed; `pattern`: what the task was doing. */
  failed(desk: Desk, lock: string, error: unknown, pattern: string): void;
  /** A section of a crowd that has computed for a moment is over. */
  computed(desk: Desk, lock: string): void;
  /** A call that has settled has left so many listeners on the signal that it was given. */
  listening(desk: Desk, listeners: number): void;
  /** Calls that have been made and have not settled. */
  pending<T>(desk: Desk, what: string, call: Promise<T>): Promise<T>;
}

/** See the module comment. */
export interface Desk {
  readonly process: WorldProcess;
  readonly client: LockClient;
  readonly majority: RedLockClient | undefined;
  readonly chance: Chance;
  /** The numbers of all that there are in this world. */
  readonly processes: readonly number[];
  /** What may break here. */
  readonly class: ScenarioClass;
  readonly locks: readonly string[];
  readonly habits: Habits;
  readonly kind: LockKind;
  readonly shared: readonly string[];
  readonly others: readonly OtherPlan[];
  readonly judges: OtherJudges;
  readonly leaseMs: number;
  readonly attemptTimeoutMs: number;
  /** Sections may keep the event loop busy. */
  readonly computes: boolean;
  readonly witness: Witness;
  readonly name: string;
}
