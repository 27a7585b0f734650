import { abroad } from './abroad.js';
import { entries } from './entries.js';
import { floorPing } from './floor-ping.js';
import { floorScripts } from './floor-scripts.js';
import { floorSet } from './floor-set.js';
import { holdfast } from './holdfast.js';
import { majorities } from './majorities.js';
import { neighbour } from './neighbour.js';
import { nodeRedisson } from './node-redisson.js';
import { notifyAndRetry } from './notify-and-retry.js';
import type { Peer } from './peer.js';
import { redisSemaphore } from './redis-semaphore.js';
import { redlock4 } from './redlock-4.js';
import { redlock5 } from './redlock-5.js';
import { redlockUniversal } from './redlock-universal.js';
import { siblings } from './siblings.js';
import { simpleRedisMutex } from './simple-redis-mutex.js';
import { values } from './values.js';

/** In the order of the tables. */
export const roster: readonly Peer[] = [
  holdfast,
  notifyAndRetry,
  nodeRedisson,
  simpleRedisMutex,
  redisSemaphore,
  redlock5,
  redlock4,
  redlockUniversal,
  ...entries,
  floorSet,
  floorScripts,
  floorPing,
  ...siblings,
  ...majorities,
  ...values,
  neighbour,
  ...abroad,
];

/** What the others are measured against. */
export const subject = holdfast.name;
/** What the libraries are divided by. */
export const floor = floorSet.name;

/** @throws RangeError when there is no such peer. */
export function peerNamed(name: string): Peer {
  const peer = roster.find((candidate) => candidate.name === name);
  if (peer === undefined) throw new RangeError(`no peer is called ${name}`);
  return peer;
}
