/** What cannot be shown of the locks there are, by a server that was given alone or without one that is away: who looks would take what is shown for all. */

import { clientKey, keySlot, readStamp } from '@holdfast/core';
import { type InspectedHolder, LockUnavailableError } from 'holdfast';
import type { Call } from './command-line.js';
import { wordsOf } from './complaint.js';
import { fieldOf, modeIn } from './doctor/finding.js';
import { slotsOf } from './doctor/slots.js';
import type { Connected } from './site.js';

/**
 * Says it on the standard error, also of those in a list who have a name that is not shown. Where nobody may ask, or nobody answers, nothing is said: what was to be
 * shown has come, or the command ends with that.
 */
export async function tellBlindSpots(call: Call, listed: readonly Party[]): Promise<void> {
  const info = await infoOf(call);
  if (modeIn(info) === 'cluster')
    call.complain('PARTIAL_VIEW', 'this is one node of a Cluster, and knows only its own locks: add --cluster');
  tellReplica(call, info);
  const unnamed = unnamedAmong(listed);
  const connected = unnamed.length === 0 ? undefined : await connectedTo(call);
  if (connected !== undefined) await tellUnshown(call, connected, unnamed, listed);
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
  const unnamed = unnamedAmong(parties);
  const connected = unnamed.length === 0 ? undefined : await connectedTo(call);
  if (connected === undefined) return;
  const { servers, failures, end } = connected;
  const away = failures.map(({ node }) => node);
  const slots = call.site.kind === 'cluster' ? await slotsOf(servers, away) : undefined;
  const isAllServed = unnamed.every((id) => slots?.isServed(keySlot(nameKey(call, id))) ?? true);
  if (isAllServed) return tellUnshown(call, connected, unnamed, parties);
  end();
  const list = failures.map(({ node, why }) => `${node} (${wordsOf(why)})`).join(', ');
  const why = list === '' ? 'no node keeps their slots' : `the server that keeps them is away; look at ${list}`;
  call.complain('PARTIAL_VIEW', `some names are missing, and since when: ${why}`);
}

/** Says that Redis has a name of some which did not come. */
async function tellUnshown(
  call: Call,
  { servers, end }: Connected,
  unnamed: readonly string[],
  parties: readonly Party[],
): Promise<void> {
  const keys = unnamed.map((id) => nameKey(call, id));
  // In a Cluster only the one that keeps it answers.
  const looks = keys.flatMap((key) => servers.map((server) => server.exists(key).catch(() => 0)));
  const isThere = (await Promise.all(looks)).includes(1);
  end();
  const areTooMany = clientsOf(parties).length > MOST_NAMES;
  const why = areTooMany ? `no more than ${MOST_NAMES} are looked up at once` : 'ask again';
  if (isThere) call.complain('PARTIAL_VIEW', `some clients have a name that is not shown: ${why}`);
}

/** Who holds or waits: who waits is always of holdfast. */
type Party = Pick<InspectedHolder, 'id' | 'client'> & Partial<Pick<InspectedHolder, 'kind' | 'resting'>>;

/** A lock client asks for no more in a list, nor of one lock. */
const MOST_NAMES = 200;

function unnamedAmong(parties: readonly Party[]): readonly string[] {
  return clientsOf(parties.filter(({ client }) => client === undefined));
}

/** The ids of those that are at work and say who they are, each once. Of others there is no name to be asked for, which not everybody may do. */
function clientsOf(parties: readonly Party[]): readonly string[] {
  const ours = parties.filter(({ kind, resting }) => kind !== 'foreign' && !resting);
  return [...new Set(ours.flatMap(({ id }) => readStamp(id)?.clientId ?? []))];
}

function nameKey({ site }: Call, clientId: string): string {
  return site.keyPrefix + clientKey(clientId);
}

function connectedTo(call: Call): Promise<Connected | undefined> {
  return call.site.connect(call.answerWithinMs).catch(() => undefined);
}

/** Of a server that was given alone. */
async function infoOf(call: Call): Promise<string> {
  if (call.site.kind !== 'node') return '';
  const connected = await connectedTo(call);
  return (await connected?.servers[0].info().catch(() => '')) ?? '';
}
