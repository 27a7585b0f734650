/** What a server says of itself in INFO, by the name of the line; undefined when it has said nothing that can be read. */
export function fieldsOf(info: unknown): ((name: string) => string | undefined) | undefined {
  if (typeof info !== 'string') return undefined;
  return (name) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
