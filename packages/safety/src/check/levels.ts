/**
 * From events to levels: what happened to each open acquisition, and during which time it was *certainly* held.
 *
 * The definite interval begins when the caller had the answer. It ends when the release began, if the hold still said that it was
 * held; otherwise when the holder was told of the loss or its last known deadline passed, whatever came first. Where the history just
 * stops (a killed process), it ends with the last event of that process. So it lies within the time during which holdfast
 * answers for the lock, and two of them that overlap are a violation whatever else happened.
 */
import type {
  AcquireInvoke,
  AcquireMiss,
  AcquireOk,
  HistoryEvent,
  Guarded,
  Lost,
  ReleaseEnd,
  ReleaseInvoke,
  Store,
  Truth,
} from '../history/event.js';
import type { History } from '../history/read.js';

export type Sample = Truth & { readonly at: number };

export class Level {
  /** `<worker>/<hold>`. */
  readonly id: string;
  readonly acquire: AcquireInvoke;
  /** The level around it, when it is a branch with a scope of its own. */
  readonly around: Level | undefined;
  ok: AcquireOk | undefined;
  miss: AcquireMiss | undefined;
  /** What it said of itself, by time; first the answer, last the moment before the release. */
  readonly samples: Sample[] = [];
  lost: Lost | undefined;
  release: ReleaseInvoke | undefined;
  released: ReleaseEnd | undefined;
  readonly stores: Store[] = [];
  readonly guarded: Guarded[] = [];
  /** The last event on disk of its process. */
  lastSeen = 0;

  constructor(acquire: AcquireInvoke, around: Level | undefined) {
    this.acquire = acquire;
    this.id = levelId(acquire);
    this.around = around;
  }

  get lock(): string {
    return this.acquire.lock;
  }

  /** When its caller had it; undefined when it never did, or was told at once that it was lost on its way. */
  get start(): number | undefined {
    return this.isHad ? this.ok?.at : undefined;
  }

  /**
   * A process that stands still between the last look at the lease and the answer hands out what is over. Its caller never believed it, and
   * the end of the lease may be any time ago.
   */
  get isHad(): boolean {
    return this.ok !== undefined && believes(this.ok);
  }

  /** End of the definite interval; of one that its caller never had, when it was asked for. */
  get end(): number {
    const { acquire, ok, release, lost, lastSeen } = this;
    if (ok === undefined || !this.isHad) return acquire.at;
    if (release !== undefined && believes(release)) return release.at;
    const over = Math.min(lost?.at ?? Infinity, release?.at ?? Infinity, lastSeen);
    const last = this.samples.findLast(believes) ?? ok;
    return Math.min(over, Math.max(last.at, last.until ?? last.at));
  }

  /** May the two be open together? Two readers, and levels that nest. */
  coexistsWith(other: Level): boolean {
    return (this.acquire.side === 'read' && other.acquire.side === 'read') || this.nestsWith(other);
  }

  /** Levels of one scope, and of branches inside one another. */
  nestsWith(other: Level): boolean {
    if (this.acquire.worker !== other.acquire.worker) return false;
    return this.#isWithin(other) || other.#isWithin(this);
  }

  /** The scope of the outermost level: the owner as seen from outside. */
  get owner(): string {
    return this.around?.owner ?? `${this.acquire.worker}/${this.acquire.scope}`;
  }

  #isWithin(other: Level): boolean {
    if (this === other || this.acquire.scope === other.acquire.scope) return true;
    return this.around !== undefined && this.around.#isWithin(other);
  }
}

/** Those that were had, by the time from which they were. One that is over at the instant at which another begins comes first. */
export const hadByStart = (levels: readonly Level[]): Level[] =>
  levels.filter(({ start }) => start !== undefined).sort((a, b) => (a.start ?? 0) - (b.start ?? 0) || a.end - b.end);

/** Did the hold claim to be held? */
export const believes = ({ state }: Truth): boolean => state === 'held' || state === 'suspect';

const levelId = ({ worker, hold }: { readonly worker: string; readonly hold: number }): string => `${worker}/${hold}`;

/** The levels of each lock, by the time at which they were asked for. */
export function levelsOf(history: History): Map<string, Level[]> {
  const levels = new Map<string, Level>();
  const byLock = new Map<string, Level[]>();
  const lastSeen = new Map<string, number>();
  for (const event of history) {
    lastSeen.set(event.worker, event.at);
    if (event.f === 'acquire' && event.type === 'invoke') {
      const around = event.inside === undefined ? undefined : levels.get(`${event.worker}/${event.inside}`);
      const level = new Level(event, around);
      levels.set(level.id, level);
      const ofLock = byLock.get(event.lock);
      if (ofLock === undefined) byLock.set(event.lock, [level]);
      else ofLock.push(level);
    } else if ('hold' in event) {
      const level = levels.get(levelId(event));
      if (level !== undefined) add(level, event);
    }
  }
  for (const level of levels.values()) level.lastSeen = lastSeen.get(level.acquire.worker) ?? 0;
  return byLock;
}

function add(level: Level, event: HistoryEvent): void {
  switch (event.f) {
    case 'acquire':
      if (event.type === 'ok') {
        level.ok = event;
        level.samples.push(event);
      } else if (event.type !== 'invoke') level.miss = event;
      break;
    case 'release':
      if (event.type === 'invoke') {
        level.release = event;
        level.samples.push(event);
      } else level.released = event;
      break;
    case 'work':
      level.samples.push(event);
      break;
    case 'lost':
      level.lost ??= event;
      break;
    case 'store':
      level.stores.push(event);
      break;
    case 'guarded':
      level.guarded.push(event);
      break;
    default:
  }
}
