import type { AbortHub } from '@holdfast/notify';
import type { Clock, Schedule, Watchdog } from '@holdfast/watchdog';
import type { Topology } from './connection/topology.js';
import type { NextTurn } from './connection/reading.js';
import type { CommandSender } from './connection/command-sender.js';
import type { Settings } from './settings.js';
import type { Forgotten } from './reports/forgotten.js';
import type { Reporter } from './reports/reporter.js';
import type { Tellings } from './reports/tellings.js';
import type { LongHoldWatch } from './exclusive/long-hold-watch.js';
import type { PermitEnds } from './primitives/permit-ends.js';
import type { Limits } from './waiting/limits.js';
import type { Broadcasts } from './tenure/broadcast-subscription.js';
import type { AskRounds } from './tenure/ask-rounds.js';
import type { OpenStake } from './tenure/stake.js';
import type { RecentReleases } from './tenure/recent-releases.js';
import type { LeaseSubject } from './tenure/renewals.js';
import type { ServerClock } from './tenure/server-clock.js';
import type { EventLoopTurns } from './exclusive/event-loop-turns.js';
import type { UnreportedLosses } from './exclusive/unreported-losses.js';
import type { Wakeup } from './tenure/wakeup.js';

/** What all locks of one client share, wherever they are kept. */
export interface CommonParts {
  readonly settings: Settings;
  readonly limits: Limits;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly nextTurn: NextTurn;
  /** Waits and deadlines of calls; keeps the process alive. */
  readonly waits: Schedule;
  readonly aborts: AbortHub;
  readonly turns: EventLoopTurns;
  readonly unreported: UnreportedLosses;
  readonly reporter: Reporter;
  readonly tellings: Tellings;
  readonly forgotten: Forgotten;
  readonly permitEnds: PermitEnds;
  /** Only with `heldWarnMs`. */
  readonly longHoldWatch: LongHoldWatch | undefined;
  /** A fresh tenure id; see docs/upgrading.md, the wire format. */
  tenureId(owner: string | undefined): string;
}

/** What coordinators, waiting calls and holds need: they know stakes, and not on how many servers. */
export interface LockParts extends CommonParts {
  readonly openStake: OpenStake;
  readonly topology: Pick<Topology, 'reachOf' | 'troubleWith' | 'keyPrefix'>;
  readonly sender: Pick<CommandSender, 'roundTripMs' | 'together' | 'behind'>;
  readonly wakeup: Pick<Wakeup, 'blind' | 'hears' | 'deaf' | 'foreignOwners'>;
}

/** What tenures need: the way to one Redis, and what is known of it. */
export interface ClientParts extends LockParts {
  /** Where locks live. */
  readonly topology: Topology;
  readonly sender: CommandSender;
  /** Asks that are made because a period is over. */
  readonly askRounds: AskRounds;
  readonly watchdog: Watchdog<LeaseSubject>;
  readonly recentReleases: RecentReleases;
  readonly wakeup: Wakeup;
  /** Channels on which everybody hears the same. */
  readonly broadcasts: Broadcasts;
  readonly serverClock: ServerClock;
  /** Whether a grant by message makes an owner, or is only the news after which the server is asked. */
  readonly grants: 'believed' | 'asked about';
}
