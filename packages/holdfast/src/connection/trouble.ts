/**
 * What the trouble with a connection is, in words, and whether it can pass by itself.
 *
 * A password, a certificate or a database stay wrong until they are set right: calls that wait for nothing else end at once. A
 * server that is down, or a host that DNS does not know yet, may come at any moment.
 */

import type { Redis } from 'ioredis';
import { inWords, hostAndPort } from './address.js';

/** A kind of trouble, by the text or the code of its error. */
interface Kind {
  readonly fits: RegExp;
  readonly words: string;
  readonly lasts: boolean;
}

/** What a server is that was given alone, and what to do. */
export const nodeOfCluster = 'a node of a Redis Cluster: pass an ioredis Cluster';

const lasting = (fits: RegExp, words: string): Kind => ({ fits, words, lasts: true });
const passing = (fits: RegExp, words: string): Kind => ({ fits, words, lasts: false });

/** The first that fits counts. */
const kinds: readonly Kind[] = [
  // What it says to them is its own, and may look like anything.
  passing(/^HOLDFAST_TURNED_AWAY/, 'the server turns clients away'),
  lasting(/^WRONGPASS|invalid password/, 'the server does not accept the user name or password'),
  lasting(/^NOAUTH/, 'the server wants a password, and none was given'),
  lasting(/^No such master/, 'the sentinels know no master of that name'),
  lasting(
    /SELECT is not allowed in cluster/,
    'it is a node of a Redis Cluster, which has no database but 0: leave db out (of redisOptions too), and pass an ioredis Cluster',
  ),
  lasting(/cluster support disabled/, 'the server is no node of a Redis Cluster: pass an ioredis Redis'),
  lasting(/DB index/, 'the database in the options does not exist there'),
  lasting(/^NOPERM/, 'the user may not do what a connection needs'),
  // An alert is what the other side says, and it has seen one certificate only.
  lasting(/alert .*(?:certificate|unknown ca)/, 'the server wants a TLS certificate of this client'),
  // Before anything is sent. A certificate that is no pair with its key, too; also what has nothing to do with TLS, such as `family`.
  lasting(/OSSL|INVALID_(?:ARG|PROTOCOL)|_CONFLICT|NO_CIPHER/, 'Node refuses the options of the connection'),
  lasting(/CERT|certificate|UNABLE_TO_/, "the server's TLS certificate is not accepted here"),
  // In words or as a code.
  lasting(
    /wrong.version|packet.length|^HOLDFAST_PLAIN_PORT/i,
    'the server does not speak TLS on that port, and the options have tls',
  ),
  lasting(/^HOLDFAST_TLS_PORT/, 'the server speaks TLS on that port, and the options have no tls'),
  // Of Node itself, with --permission.
  lasting(/^ERR_ACCESS_DENIED/, 'this process may not use the network: --allow-net is missing'),
  passing(/SSL|TLS|EPROTO/, 'the TLS handshake failed'),
  passing(/^Unknown RESP type|reply type byte/, 'what listens there does not speak the protocol of Redis'),
  lasting(/unknown command .?sentinel/i, 'the server there is no sentinel'),
  passing(/ENOTFOUND|EAI_AGAIN/, 'the host name is not known'),
  passing(/ECONNREFUSED/, 'nothing listens at that address'),
  passing(/^LOADING/, 'the server is still loading its data'),
  passing(/^READONLY/, 'the server is a replica, and takes no locks'),
];

/** What follows the code in such a text is an address, which may look like anything. */
const toAnAddress = /\b(?:connect|getaddrinfo) (E[A-Z_]+)\b/;
/** What ioredis says of a command whose connection has ended, whatever ended it. */
export const closedConnection = 'Connection is closed.';
/** What we say of a command that ioredis did not take, and of one that it gave up. */
export const noConnection = 'there is no connection that answers';
export const brokenConnection = 'the connection broke before the answer';
/** What Redis says to all that it cannot answer while it loads. */
export const isLoading = 'LOADING Redis is loading the dataset in memory';
/** What the trouble of the sentinels begins with. */
export const unnamedMaster = 'No sentinel names the master:';

/** A sentinel has named a master. What was wrong with that one has been said, and ioredis begins again with the first. */
export const isBeginningAgain = ({ message }: Error): boolean => message === unnamedMaster;

/** It says that there is no connection, and not why: what is known of the reason says more. */
export const isSequel = ({ message }: Error): boolean =>
  [closedConnection, noConnection, brokenConnection].includes(message);

/** The trouble with several servers, each in words of its own: those of one do not speak for the others. */
const ofSeveral = /^\d+ of \d+ nodes /;

/** `whose`: where it is not the trouble of the server itself. In one line, whatever OpenSSL says. */
function lookInto(error: Error): { whose: string; said: string; kind: Kind | undefined } {
  const code = 'code' in error ? String(error.code) : '';
  // Of several addresses that all failed: it has a code and no text.
  const [, whose = '', said = ''] = /^(No sentinel names the master: )?(.*)/.exec(
    error.message.replace(/\s+/g, ' ').trim() || code,
  ) as string[];
  const text = toAnAddress.exec(said)?.[1] ?? said;
  const kind = ofSeveral.test(said) ? undefined : kinds.find(({ fits }) => fits.test(text) || fits.test(code));
  return { whose, said, kind };
}

/** The error in words, with its own text behind them. */
export function describeTrouble(error: Error): string {
  const { whose, said, kind } = lookInto(error);
  return whose + (kind ? `${kind.words} (${said})` : said);
}

/** It stays until the options or the server are changed. */
export function isLasting(error: Error | undefined): boolean {
  return error !== undefined && lookInto(error).kind?.lasts === true;
}

/** Where a connection leads, as its options say: no user and no password. */
export function addressOf(redis: Redis): string {
  const { options } = redis;
  if (options.sentinels) return `the master "${options.name}"`;
  return options.path ?? inWords(hostAndPort(redis));
}
