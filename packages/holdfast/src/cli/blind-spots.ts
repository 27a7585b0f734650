/** What cannot be shown of the locks there are, by a server that was given alone or without one that is away: who looks would take what is shown for all. */

import { clientIn, clientKey, keySlot } from '@holdfast/core';
import { type InspectedHolder, LockUnavailableError } from 'holdfast';
import type { Call } from './command-line.js';
import { wordsOf } from './complaint.js';
import { fieldOf, modeIn } from './doctor/finding.js';
import { slotsOf } from './doctor/slots.js';

/** Says it on the standard error. Where nobody may ask, or nobody answers, nothing is said: what was to be shown has come, or the command ends with that. */
export async function tellBlindSpots(call: Call): Promise<void> {
  const info = await infoOf(call);
  if (modeIn(info) === 'cluster')
    call.complain('PARTIAL_VIEW', 'this is one node of a Cluster, and knows only its own locks: add --cluster');
  tellReplica(call, info);
}

/** Likewise, of one lock: a node of a Cluster that has not got it does not answer, and one that has it shows all of it. */
export async function tellIfBehind(call: Call): Promise<void> {
  tellReplica(call, await infoOf(call));
}

function tellReplica(call: Call, info: string): void {
  if (fieldOf(info, 'role') === 'slave' && fieldOf(info, 'slave_read_only') !== '0')
    call.complain('PARTIAL_VIEW', 'this is a replica, which may be behind, and takes no locks: ask its master');
}

/** Whether a list ended with it that has the locks of all servers but some. */
export function isOfSome(error: unknown): boolean {
  return error instanceof LockUnavailableError && error.missing !== undefined;
}

/** Says whose locks are missing, on the standard error. */
export function tellMissing(call: Call, missing: Error): void {
  call.complain('PARTIAL_VIEW', wordsOf(missing));
}

/**
 * Says that some clients may have a name which is not shown: in a Cluster the server that keeps it need not be the lock's, and may be away. Without it nobody knows
 * since when either.
 */
export async function tellNamesAway(call: Call, parties: readonly Party[]): Promise<void> {
  const unnamed = parties.filter(({ kind, resting, client }) => kind !== 'foreign' && !resting && client === undefined);
  if (call.site.kind !== 'cluster' || unnamed.length === 0) return;
  const connected = await call.site.connect(call.answerWithinMs).catch(() => undefined);
  if (connected === undefined) return;
  const { servers, failures, end } = connected;
  const slots = await slotsOf(
    servers,
    failures.map(({ node }) => node),
  );
  const keys = unnamed.map(({ id }) => call.site.keyPrefix + clientKey(clientIn(id)));
  const isAllServed = keys.every((key) => slots.isServed(keySlot(key)));
  // Only the one that keeps it answers.
  const looks = keys.flatMap((key) => servers.map((server) => server.exists(key).catch(() => 0)));
  const isThere = isAllServed && (await Promise.all(looks)).includes(1);
  end();
  if (isThere) call.complain('PARTIAL_VIEW', 'some clients have a name that is not shown: ask again');
  if (isAllServed) return;
  const list = failures.map(({ node, why }) => `${node} (${wordsOf(why)})`).join(', ');
  const why = list === '' ? 'no node keeps their slots' : `the server that keeps them is away; look at ${list}`;
  call.complain('PARTIAL_VIEW', `some names are missing, and since when: ${why}`);
}

/** Who holds or waits: who waits is always of holdfast. */
type Party = Pick<InspectedHolder, 'id' | 'client'> & Partial<Pick<InspectedHolder, 'kind' | 'resting'>>;

/** Of a server that was given alone. */
async function infoOf(call: Call): Promise<string> {
  if (call.site.kind !== 'node') return '';
  const connected = await call.site.connect(call.answerWithinMs).catch(() => undefined);
  return (await connected?.servers[0].info().catch(() => '')) ?? '';
}
