/** How those who hold and wait are named in tables. */

import { clientIn, ownerIn } from '@holdfast/core';
import type { ClientCard, InspectedHolder } from 'holdfast';

/** A holder in a few words. */
export function holderInWords({
  id,
  kind,
  resting,
  client,
}: Pick<InspectedHolder, 'id' | 'kind' | 'resting' | 'client'>): string {
  if (resting) return 'nobody (resting)';
  if (kind === 'foreign') return `${id} (not holdfast)`;
  const owner = ownerIn(id);
  const name = client === undefined ? clientIn(id) : placeInWords(client);
  return owner === undefined ? name : `${owner} (${name})`;
}

/** The client of a tenure that is surely of holdfast. */
export function clientInWords({ id, client }: Pick<InspectedHolder, 'id' | 'client'>): string {
  return holderInWords({ id, client, kind: 'holdfast', resting: false });
}

/** A client by its name, and where it is unless the name says so. */
function placeInWords({ name, host, pid }: ClientCard): string {
  const place = `${host}:${pid}`;
  return name === place ? name : `${name} (${place})`;
}
