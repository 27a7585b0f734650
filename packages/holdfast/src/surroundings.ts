/**
 * What a client takes from the process it lives in without being told by its caller: time, chance, turns of the event loop, and the way to
 * Redis. All of it comes through here and is handed over when the client is made, so that a client can live in a simulated world, where the
 * same seed gives the same run. Nothing else in this package and its leaves reads a clock, sets a timer, or draws a random number.
 *
 * Left as they are, because they repeat exactly or decide nothing: promise jobs and `process.nextTick` (in order, before anything else
 * happens), the names of questions (compared for equality only), and the finalizers behind the `leak` event (they only report).
 */

import { type Clock, setImmediate, systemClock } from '@holdfast/watchdog';
import { hostname } from 'node:os';
import { nanoid } from 'nanoid';
import { type OpenedRedis, openRedis } from './connection/redis-input.js';
import type { Whereabouts } from './identity.js';
import type { RedisInput } from './options.js';

/** See the module comment. Each client has its own. */
export interface Surroundings {
  readonly clock: Clock;
  /** Uniform in [0, 1), as `Math.random`. */
  readonly random: () => number;
  /** So many characters of 6 bits each, which nobody can guess. */
  readonly randomText: (length: number) => string;
  /** Runs `run` in the next turn of the event loop: after the timers that are due and the sockets that can be read. */
  readonly nextTurn: (run: () => void) => void;
  /** Turns the `redis` option into a client, without any I/O. @throws TypeError when it cannot be used. */
  readonly openRedis: (input: RedisInput, connectionName?: string) => OpenedRedis;
  /** Where the client lives, for clients that say who they are. */
  readonly whereabouts: () => Whereabouts;
}

/** Those of this process. The timers of the clock run in the async context of this call. */
export function systemSurroundings(): Surroundings {
  return {
    clock: systemClock(),
    random: Math.random,
    randomText: nanoid,
    nextTurn: (run) => void setImmediate(run),
    openRedis,
    whereabouts: () => ({ host: hostname(), pid: process.pid }),
  };
}
