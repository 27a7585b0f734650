/**
 * A message to the inbox of one client.
 *
 * On the wire it is text, fields separated by one space, version first:
 *
 * ```
 * 1 grant <tenure> <expMs> <nowMs> <others> <token|-> [turn <sections>] [<reason> <sinceMs>]
 * 1 contended <tenure>
 * 1 lost <tenure> <reason>
 * 1 look <tenure>
 * ```
 *
 * A later version may add words behind these, which change nothing about what stands before them: they are not read.
 *
 * The last one says that what the tenure waits for has changed. Everything else is `look` too: a newer version, an unknown kind, a field that does not parse. The receiver then asks Redis
 * and believes only the reply, so a fleet can be upgraded node by node and a forged or broken message costs one question.
 */
export type InboxMessage =
  | {
      /** A release made `tenure` the owner, on a short claim lease. */
      readonly kind: 'grant';
      readonly tenure: string;
      /** Server time, in milliseconds, at which the claim lease ends. */
      readonly expiresAtMs: number;
      /** Server time, in milliseconds, of the grant. */
      readonly nowMs: number;
      /** How many other tenures wait. */
      readonly others: number;
      /** Fencing token, where the lock has them. Text: it may exceed what a number holds exactly. */
      readonly token?: string;
      /** The last holder did not give the lock back: its lease ran out, or it was forced out; and server time, in ms, since when. */
      readonly inherited?: Inherited;
      /** How many critical sections a turn of the lock has, as the last holder says. */
      readonly turn?: number;
    }
  /** Another tenure waits for the lock that `tenure` holds. */
  | { readonly kind: 'contended'; readonly tenure: string }
  /** The lock that `tenure` held was taken from it. */
  | { readonly kind: 'lost'; readonly tenure: string }
  /** Not understood: ask Redis. `tenure` is the one it seems to be for; absent when it names none. */
  | { readonly kind: 'look'; readonly tenure?: string };

interface Inherited {
  readonly reason: 'expired' | 'forced';
  readonly since: number;
}

/** Far above any message of ours: an owner name of 1 KiB in UTF-8 and six numbers. */
const longestMessage = 8_192;
/** A tenure, or a further word. */
const wordPattern = /^\P{Cc}+$/u;
const tokenPattern = /^\d{1,20}$/;
const reasonPattern = /^[a-z][a-z-]{0,63}$/;

/** Reads a message. Total: never throws, and answers `look` to everything it does not fully understand. */
export function parseInboxMessage(text: string): InboxMessage {
  if (typeof text !== 'string' || text.length > longestMessage) return { kind: 'look' };
  const [version, kind, tenure, ...fields] = text.split(' ');
  if (tenure === undefined || !wordPattern.test(tenure)) return { kind: 'look' };
  return (version === '1' ? parseVersion1(kind, tenure, fields) : undefined) ?? { kind: 'look', tenure };
}

function parseVersion1(kind: string | undefined, tenure: string, fields: readonly string[]): InboxMessage | undefined {
  if (kind === 'grant') return parseGrant(tenure, fields);
  const known = kind === 'contended' || (kind === 'lost' && reasonPattern.test(fields[0] ?? ''));
  return known && areWords(fields) ? { kind, tenure } : undefined;
}

function parseGrant(tenure: string, fields: readonly string[]): InboxMessage | undefined {
  const [expiresAtMs, nowMs, others] = fields.slice(0, 3).map(parseCount);
  const [token, ...more] = fields.slice(3);
  if (expiresAtMs === undefined || nowMs === undefined || others === undefined || token === undefined) return undefined;
  if (!areWords(more)) return undefined;
  const grant = { kind: 'grant', tenure, expiresAtMs, nowMs, others, ...besides(more) } as const;
  if (token === '-') return grant;
  return tokenPattern.test(token) ? { ...grant, token } : undefined;
}

/** What a grant may say behind its token: pairs of a word and a number. */
function besides(words: readonly string[]): { turn?: number; inherited?: Inherited } {
  const [word, number = '', ...more] = words;
  if (word === undefined) return {};
  const value = parseCount(number);
  if (value === undefined) return besides(more);
  if (word === 'turn' && value > 0) return { ...besides(more), turn: value };
  if (word === 'expired' || word === 'forced') return { ...besides(more), inherited: { reason: word, since: value } };
  return besides(more);
}

/** What a later version says besides. A damaged message often has an empty field. */
function areWords(fields: readonly string[]): boolean {
  return fields.every((field) => wordPattern.test(field));
}

function parseCount(text: string): number | undefined {
  const value = Number(text);
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(value) ? value : undefined;
}
