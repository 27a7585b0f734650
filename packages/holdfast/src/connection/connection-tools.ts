import type { Appointment } from '@holdfast/watchdog';
import type { NextTurn } from './reading.js';
import type { ServerCheck } from './server-check.js';

/** Something that will be run. */
export type Reminder = Pick<Appointment, 'cancel' | 'move'>;

/** What every topology needs of its client. */
export interface ConnectionTools {
  /** Runs `action` at a clock time. */
  readonly at: (time: number, action: () => void) => Reminder;
  /** Runs `action` so many milliseconds from now. */
  readonly after: (ms: number, action: () => void) => { cancel(): void };
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly nextTurn: NextTurn;
  /** How long a connection of ours may owe every answer before it is replaced. */
  readonly silenceMs: number;
  readonly serverCheck: ServerCheck;
  /** By which CLIENT LIST is to show connections of ours that their options give no name. */
  readonly connectionName?: string | undefined;
  /** A connection of ours is in trouble. `connection`: what it is for and where it leads, in words. */
  readonly onError: (connection: string, error: unknown) => void;
}
