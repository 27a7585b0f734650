import { AbortHub } from '@holdfast/notify';
import { Schedule } from '@holdfast/watchdog';
import type { CommonParts } from './client-parts.js';
import type { Coordinating } from './exclusive/coordinating.js';
import { EventLoopTurns } from './exclusive/event-loop-turns.js';
import { LongHoldWatch } from './exclusive/long-hold-watch.js';
import { UnreportedLosses } from './exclusive/unreported-losses.js';
import { TenureStamp } from './inspection/tenure-stamp.js';
import type { Settings } from './settings.js';
import { PermitEnds } from './primitives/permit-ends.js';
import { Forgotten } from './reports/forgotten.js';
import { Reporter } from './reports/reporter.js';
import { Tellings } from './reports/tellings.js';
import type { Surroundings } from './surroundings.js';
import { Limits } from './waiting/limits.js';

/** Lengths of random texts, in characters of 6 bits. So many that no two clients share an id: */
const CLIENT_ID_LENGTH = 21;
/** Of the part of a tenure id that cannot be guessed: a message that names a tenure is listened to. */
const SECRET_LENGTH = 10;
/** Of what the ids of a client's holds begin with. */
const HOLD_ID_LENGTH = 10;

/** What every client begins with, on however many servers its locks are kept. */
export interface Beginnings {
  readonly clientId: string;
  readonly common: CommonParts;
  /** For what does not keep the process alive. */
  readonly background: Schedule;
  /** Only of a client that says who it is. */
  readonly stamp: TenureStamp | undefined;
}

/** @param coordinators - those of the client: of the locks that are in use when they are asked for. */
export function begin(
  settings: Settings,
  { clock, random, randomText, nextTurn }: Surroundings,
  coordinators: () => Iterable<Coordinating>,
): Beginnings {
  const clientId = randomText(CLIENT_ID_LENGTH);
  const tellings = new Tellings();
  const reporter = new Reporter(clientId, `${randomText(HOLD_ID_LENGTH)}-`, tellings);
  const onError = (error: unknown) => reporter.error(error);
  const background = new Schedule(clock, 'background', onError);
  const { heldWarnMs } = settings;
  const stamp = settings.identity && new TenureStamp(clock);
  let tenures = 0;
  const common: CommonParts = {
    settings,
    limits: new Limits(settings.limits, reporter),
    clock,
    random,
    nextTurn,
    waits: new Schedule(clock, 'keeps-process-alive', onError),
    aborts: new AbortHub(),
    turns: new EventLoopTurns(clock, nextTurn),
    unreported: new UnreportedLosses(),
    reporter,
    tellings,
    forgotten: new Forgotten(reporter),
    permitEnds: new PermitEnds(clock, background),
    longHoldWatch:
      heldWarnMs === undefined
        ? undefined
        : new LongHoldWatch(heldWarnMs, { clock, schedule: background, reporter }, coordinators),
    tenureId: (owner) =>
      `${owner === undefined ? '' : `${owner}:`}${clientId}:${++tenures}.${randomText(SECRET_LENGTH)}${stamp?.next() ?? ''}`,
  };
  return { clientId, common, background, stamp };
}
