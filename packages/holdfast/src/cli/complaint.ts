import type { Io } from './io.js';
import { harmless } from './table.js';

/** For whom a complaint is. */
export type Form = 'words' | 'json';

/** What the errors of a lock client tell programs to do, and how it is done here. */
const advice: readonly (readonly [ofClient: string, here: string])[] = [
  ['pass an ioredis Cluster', 'add --cluster'],
  ['pass an ioredis Redis', 'leave --cluster out'],
  [
    'keeps the slot and has an address',
    'keeps the slot and has an address: one that has met no other node has none until cluster-announce-ip says it, and none has one with cluster-preferred-endpoint-type unknown-endpoint',
  ],
  ['give ioredis sentinels and name', 'say --sentinel and --master'],
  [', and the options have tls', ': say redis://'],
  [', and the options have no tls', ': say rediss://'],
  ['wants a TLS certificate of this client', 'wants a TLS certificate of this client: say --cert and --key'],
  [
    'TLS certificate is not accepted here',
    'TLS certificate is not accepted here: say --cacert if its authority is one of your own',
  ],
  [
    'No sentinel names the master: the server wants a password, and none was given',
    'No sentinel names the master: it wants a password: say it in HOLDFAST_SENTINEL_PASSWORD',
  ],
  ['the server wants a password, and none was given', 'the server wants a password: say it in REDIS_URL'],
];

/** Whoever signed it, another authority does not help. */
const ofAnotherHost = [
  'TLS certificate is not accepted here',
  'TLS certificate is for another host: say a host that it is for',
] as const;

/** Words of a lock client, for who sits at a terminal. */
export function asSaidHere(words: string): string {
  return advice.reduce((text, [ofClient, here]) => text.replace(ofClient, here), words);
}

/** What an error says there: nobody has its `cause`, nor the events of a client. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const whole = cause instanceof Error ? cause.message.trim() : '';
  const advised = /Hostname\/IP does not match/.test(whole) ? message.replace(...ofAnotherHost) : message;
  return asSaidHere(advised)
    .replace(/\S+ \(error\.cause has the whole of it\)/, (code) => whole || (code.split(' ', 1)[0] as string))
    .replace(' The "error" event of the client may say more', '');
}

/**
 * Says what is wrong, in one line on the standard error. All that is said there passes here: a name, a word of the command line or of the server cannot write
 * to the terminal.
 */
export function complain(io: Io, form: Form, code: string, message: string): void {
  io.warn(form === 'json' ? JSON.stringify({ error: { code, message } }) : harmless(`holdfast: ${message}`));
}
