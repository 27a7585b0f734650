/** What may pass where nothing is broken, before something is late. */

import type { Scenario } from '../plan/scenario.js';

/** Connecting and subscribing: what began before this is not judged. */
export const FIRST_MS = 300;
/** One-way trips from a release to the next owner: to the server, to a waiter that has given up meanwhile, its cancel, to the next one, and room. */
export const HANDOVER_TRIPS = 12;
/** Timers are whole milliseconds, and late. */
const ROOM_MS = 10;

/** How long so many one-way trips take at most. */
export const tripsMs = (trips: number, { delays }: Pick<Scenario, 'delays'>): number => trips * delays.most + ROOM_MS;
