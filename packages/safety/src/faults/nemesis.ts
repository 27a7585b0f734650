/**
 * What breaks things on purpose. Each nemesis is one file and does one kind of harm; it heals what it broke before its strike resolves,
 * at the latest when the faults of the epoch are over. Strikes of different nemeses overlap.
 */
import type { FaultProxy, RedisServer, SeededRandom } from '@holdfast/testkit';
import type { Site } from '../site/site.js';
import type { Times } from '../worker/plan.js';

/** One lock client in one worker, seen from the network: a proxy in front of each server. */
export interface Path {
  readonly proxies: readonly FaultProxy[];
}

/** A worker as nemeses see it. Who is killed comes back under another name. */
export interface Victim {
  readonly name: string;
  freeze(): void;
  thaw(): void;
  /** SIGKILL. Resolves when its successor works. */
  replace(): Promise<void>;
  /** Its event loop stands still. */
  stall(ms: number): Promise<void>;
}

/** What was done, for the history and for the count. */
export interface Deed {
  readonly code: string;
  readonly state: 'on' | 'off' | 'once';
  readonly target?: string;
  readonly lock?: string;
  /** How many faults this is, of those that are counted: one for each connection that it breaks. Default 1 for `once` and `on`, 0 for `off`. */
  readonly count?: number;
}

export interface Arena {
  readonly site: Site;
  readonly paths: readonly Path[];
  readonly victims: () => readonly Victim[];
  /** Names of all locks of the epoch. */
  readonly locks: readonly string[];
  readonly times: Times;
  /** This nemesis' own choices. */
  readonly random: SeededRandom;
  /** Resolves after so many milliseconds, or when faults are over. */
  readonly pause: (ms: number) => Promise<void>;
  readonly over: boolean;
  /** A server that takes writes, as far as is known. */
  readonly anyMaster: () => Promise<RedisServer>;
  /** Takes a lock away from whoever has it, and writes that down as an operation. */
  readonly removeLock: (lock: string, how: 'del' | 'force') => Promise<void>;
  readonly note: (deed: Deed) => void;
}

/** From and to, in milliseconds. */
export type Range = readonly [number, number];

export interface Nemesis {
  /** As in the histories and in the table. */
  readonly name: string;
  /** How long it rests between strikes. */
  readonly rest: Range;
  strike(arena: Arena): Promise<void>;
}

/** A whole number of this range. */
export const within = (random: SeededRandom, [from, to]: Range): number => from + random.below(to - from + 1);

/** Mostly the beginning of the range, now and then its end: long faults are rare, or nothing else would happen. */
export const mostlyShort = (random: SeededRandom, [from, to]: Range): number =>
  Math.round(from + (to - from) * random.next() ** 3);
