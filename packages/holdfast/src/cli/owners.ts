/** How those who hold and wait are named in tables. */

import type { ClientCard, InspectedHolder } from 'holdfast';

/** The client in a tenure id, `[<owner>:]<client id>:<number>`; what others wrote is left as it is. */
export function clientOf(id: string): string {
  const parts = id.split(':');
  return parts.length < 2 ? id : (parts.at(-2) as string);
}

/** The explicit owner in a tenure id, if there is one. */
export function ownerIn(id: string): string | undefined {
  const parts = id.split(':');
  return parts.length > 2 ? parts.slice(0, -2).join(':') : undefined;
}

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
  const name = client === undefined ? clientOf(id) : placeInWords(client);
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
