/** Which nemeses may work together: what a fault class allows, as far as the topology has it. */
import type { SeededRandom } from '@holdfast/testkit';
import type { Topology } from '../site/site.js';
import { acceptThenClose } from './accept-then-close.js';
import { answersSwapped } from './answers-swapped.js';
import { busyScript } from './busy-script.js';
import { clientsKilled } from './clients-killed.js';
import { connectionsReset } from './connections-reset.js';
import { delay } from './delay.js';
import { framesCut } from './frames-cut.js';
import { grantsMissing } from './grants-missing.js';
import { lockDeleted } from './lock-deleted.js';
import { lockForced } from './lock-forced.js';
import { loopStalled } from './loop-stalled.js';
import { masterChanges, orderlyFailover } from './master-changes.js';
import { memorySqueezed } from './memory-squeezed.js';
import type { Nemesis } from './nemesis.js';
import { partition } from './partition.js';
import { queueLost } from './queue-lost.js';
import { repliesLost } from './replies-lost.js';
import { scriptsFlushed } from './scripts-flushed.js';
import { serverClockJumps } from './server-clock-jumps.js';
import { serversEmptied } from './servers-emptied.js';
import { serverFrozen, serverFrozenBriefly } from './server-frozen.js';
import { serverRestarted } from './server-restarted.js';
import { serverSleeps } from './server-sleeps.js';
import { slotMoved } from './slot-moved.js';
import { workerFrozen } from './worker-frozen.js';
import { workerKilled } from './worker-killed.js';
import { writesPaused } from './writes-paused.js';

/** The classes that a campaign runs; what must hold under each is in `check/fault-classes.ts`. */
export const campaignClasses = ['crash-and-network', 'loss-of-data', 'clock-jumps'] as const;
export type CampaignClass = (typeof campaignClasses)[number];

/** At work in every epoch. */
const always: readonly Nemesis[] = [connectionsReset, repliesLost, framesCut, clientsKilled];

/** Each is at work in some epochs: with all of them at once hardly anything else would happen. */
const often: readonly Nemesis[] = [
  answersSwapped,
  partition,
  delay,
  acceptThenClose,
  writesPaused,
  serverSleeps,
  scriptsFlushed,
  busyScript,
  grantsMissing,
  memorySqueezed,
  workerFrozen,
  workerKilled,
  loopStalled,
];
const likelihood = 0.5;

const ofTopology: Record<Topology, readonly Nemesis[]> = {
  single: [serverFrozen, serverRestarted, queueLost],
  sentinel: [serverFrozenBriefly],
  cluster: [serverFrozenBriefly, slotMoved],
  majority: [serverFrozen, queueLost],
};

/** What gives a class its name: all of it in each of its epochs. */
const ofClass: Record<CampaignClass, Readonly<Record<Topology, readonly Nemesis[]>>> = {
  // A manual failover of a Cluster waits for the replica: nothing is lost. Of a majority each may forget everything, and nothing is lost.
  'crash-and-network': { single: [], sentinel: [], cluster: [orderlyFailover], majority: [serversEmptied] },
  'loss-of-data': {
    single: [lockDeleted, lockForced],
    sentinel: [lockDeleted, lockForced, masterChanges],
    cluster: [lockDeleted, lockForced, masterChanges],
    majority: [],
  },
  'clock-jumps': { single: [serverClockJumps], sentinel: [], cluster: [], majority: [] },
};

/** The classes that make a difference on a topology. */
export const classesOn = (topology: Topology): readonly CampaignClass[] =>
  campaignClasses.filter((name) => name === 'crash-and-network' || ofClass[name][topology].length > 0);

/** The nemeses of one epoch. */
export function chooseNemeses(random: SeededRandom, topology: Topology, className: CampaignClass): readonly Nemesis[] {
  const some = [...often, ...ofTopology[topology]].filter(() => random.next() < likelihood);
  return [...always, ...some, ...ofClass[className][topology]];
}
