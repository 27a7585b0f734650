/** How those who hold and wait are named in tables. */

import type { InspectedHolder } from 'holdfast';

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
export function holderInWords({ id, kind, resting }: Pick<InspectedHolder, 'id' | 'kind' | 'resting'>): string {
  if (resting) return 'nobody (resting)';
  if (kind === 'foreign') return `${id} (not holdfast)`;
  const owner = ownerIn(id);
  return owner === undefined ? clientOf(id) : `${owner} (${clientOf(id)})`;
}
