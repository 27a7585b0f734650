/** Draws the servers of a lock by majority, and settings with which its clients can have it over the network of the world. */

import type { Chance } from '../world/chance.js';
import type { MajorityPlan, NodePlan } from './scenario.js';

/** A node may take at most this share of a lease for its vote. */
const NODE_SHARE = 1 / 20;
/** What a node needs for its vote beside two trips: timers that are late, and an event loop that is busy with others. */
const ROOM_MS = 12;
/** Processes are up to 0.9 % faster or slower than the world. */
const RATES = [0, 0, 0.0008, -0.0008];
const AGE_MS = 3_600_000;

/** From a stream of its own. `slowestMs`: the longest that a packet is on its way. */
export function drawMajority(chance: Chance, slowestMs: number): MajorityPlan {
  const nodeTimeoutMs = Math.ceil(2 * slowestMs + ROOM_MS);
  const least = Math.ceil(nodeTimeoutMs / NODE_SHARE);
  return {
    kind: 'majority',
    name: 'site',
    nodes: Array.from({ length: chance.pick([3, 5]) }, () => drawNode(chance)),
    watchdogTimeoutMs: Math.max(least, chance.pick([400, 1_000, 3_000])),
    nodeTimeoutMs,
  };
}

const drawNode = (chance: Chance): NodePlan => ({
  rate: 1 + chance.pick(RATES),
  aheadMs: Math.round(chance.between(-AGE_MS, AGE_MS)),
  ageMs: AGE_MS,
});
