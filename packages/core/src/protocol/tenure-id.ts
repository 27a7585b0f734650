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
  return tenure.slice(tenure.lastIndexOf(':', tenure.lastIndexOf(':') - 1) + 1);
}
