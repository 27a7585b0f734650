import type { AbortHub } from '@holdfast/notify';
import type { Clock, Schedule, Watchdog } from '@holdfast/watchdog';
import type { Link } from '../connection/link.js';
import type { NextTurn } from '../connection/reading.js';
import type { Wire } from '../connection/wire.js';
import type { Settings } from '../options.js';
import type { Forgotten } from '../reports/forgotten.js';
import type { Reporter } from '../reports/reporter.js';
import type { Tellings } from '../reports/tellings.js';
import type { HeldWatch } from './held-watch.js';
import type { Limits } from './limits.js';
import type { LeaseSubject } from './renewals.js';
import type { ServerClock } from './server-clock.js';
import type { Turns } from './turns.js';
import type { UntoldLosses } from './untold-losses.js';
import type { Wakeup } from './wakeup.js';

/** What all locks of one client share. */
export interface Parts {
  readonly settings: Settings;
  readonly limits: Limits;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly nextTurn: NextTurn;
  /** Waits and deadlines of calls; keeps the process alive. */
  readonly waits: Schedule;
  /** Where locks live. */
  readonly link: Link;
  readonly wire: Wire;
  readonly watchdog: Watchdog<LeaseSubject>;
  readonly wakeup: Wakeup;
  readonly serverClock: ServerClock;
  readonly aborts: AbortHub;
  readonly turns: Turns;
  readonly untold: UntoldLosses;
  readonly reporter: Reporter;
  readonly tellings: Tellings;
  readonly forgotten: Forgotten;
  /** Only with `heldWarnMs`. */
  readonly heldWatch: HeldWatch | undefined;
  /** A fresh tenure id; see protocol.md, section 1. */
  tenureId(owner: string | undefined): string;
}
