/** What a tenure id tells: `[<owner>:]<client id>:<n>`. Neither the client id nor `<n>` has a colon in it. */

/** The client; an id of another form is left as it is. */
export function clientIn(id: string): string {
  const parts = id.split(':');
  return parts.length < 2 ? id : (parts.at(-2) as string);
}

/** The explicit owner, if there is one. */
export function ownerIn(id: string): string | undefined {
  const parts = id.split(':');
  return parts.length > 2 ? parts.slice(0, -2).join(':') : undefined;
}

/** `<client id>:<n>`. */
export function withoutOwner(tenure: string): string {
  const hasOwner = tenure.includes(':', tenure.indexOf(':') + 1);
  return hasOwner ? tenure.slice(tenure.lastIndexOf(':', tenure.lastIndexOf(':') - 1) + 1) : tenure;
}

/**
 * The client in an id that ends in a stamp, as those of clients which say who they are do, and the stamp: when the tenure began, in milliseconds since the client
 * was made. Undefined for every other id.
 */
export function readStamp(id: string): { clientId: string; ageMs: number } | undefined {
  const [, clientId, stamp] = /(?:^|:)([^:]+):\d+\.[^:.]+\.([0-9a-z]{1,9})$/.exec(id) ?? [];
  return clientId === undefined || stamp === undefined ? undefined : { clientId, ageMs: Number.parseInt(stamp, 36) };
}
