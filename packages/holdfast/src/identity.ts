/** Who a client says it is. */

import { checkString, isObject, mistyped } from './options.js';

/** As it was given, checked. `name` undefined: the default. */
export interface Identity {
  readonly name: string | undefined;
  readonly meta: Readonly<Record<string, string>>;
}

/** Where a client lives. */
export interface Whereabouts {
  readonly host: string;
  readonly pid: number;
}

const MOST_NAME = 128;
const MOST_META = 16;
const MOST_VALUE = 256;

/**
 * Undefined when the client says nothing of itself.
 *
 * @throws TypeError or RangeError
 */
export function checkIdentity(clientName: unknown, meta: unknown): Identity | undefined {
  if (clientName === undefined && meta === undefined) return undefined;
  if (clientName !== undefined) checkText('clientName', clientName, MOST_NAME);
  const given = meta === undefined ? {} : meta;
  if (!isObject(given)) throw mistyped('meta', 'an object of strings', given);
  const entries = Object.entries(given);
  if (entries.length > MOST_META) throw new RangeError(`meta must not have more than ${MOST_META} entries`);
  for (const [key, value] of entries) {
    checkText('a key of meta', key, MOST_NAME);
    checkText(`meta.${key}`, value, MOST_VALUE);
  }
  return { name: clientName as string | undefined, meta: Object.fromEntries(entries) as Record<string, string> };
}

function checkText(what: string, given: unknown, most: number): void {
  const text = checkString(what, given);
  if (text === '' || text.length > most || /[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new RangeError(`${what} must be 1 to ${most} characters, none of them control characters`);
  }
}

/** What a client says of itself. Nobody checks it: it may be out of date, or written by somebody else. */
export interface ClientCard {
  /** Its `clientName`; without, `<host>:<process id>`. */
  readonly name: string;
  /** Of the machine, as its operating system has it. */
  readonly host: string;
  /** Of the process, on that machine. */
  readonly pid: number;
  /** Its {@link LockClientOptions.meta}; without, empty. */
  readonly meta: Readonly<Record<string, string>>;
}

/** That of a client at its place, by which it is named where it has no name of its own. */
export function cardOf({ name, meta }: Identity, { host, pid }: Whereabouts): ClientCard {
  return { name: name ?? `${host}:${pid}`, host, pid, meta };
}

/** A name as CLIENT LIST can show it: Redis takes printable ASCII without spaces. */
export function connectionNameOf(name: string): string {
  return name.replaceAll(/[^!-~]/g, '_');
}
