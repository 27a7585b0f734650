/** What a server may answer that is no answer: bytes of RESP2 and RESP3, whole and broken. */

import type { Hostility } from './hostile-server.js';
import { array, bulk, number, push } from './resp.js';

/** Bytes, or what is made of the name of the question. */
type Frame = string | ((question: string) => string);

const say =
  (...frames: Frame[]): Hostility =>
  (socket, question) =>
    void socket.write(frames.map((frame) => (typeof frame === 'string' ? frame : frame(question))).join(''));
const nested = (depth: number) => `${'*1\r\n'.repeat(depth)}:1\r\n`;
/** Wrong in nothing but what the items say: it names the question. */
const named =
  (...items: string[]): Frame =>
  (question) =>
    array(...items, bulk(question));
const own = (...fields: string[]) => named(bulk('acquired'), ...fields, bulk(''), bulk('-'));

export type Case = readonly [title: string, hostility: Hostility];

/** Errors that a server may answer to anything. */
const errors: readonly Case[] = [
  ['an error without text', say('-\r\n')],
  ['an error of one space', say('- \r\n')],
  ['an error in lower case', say('-no such thing\r\n')],
  ['an error that names another prototype', say('-__proto__ constructor toString\r\n')],
  ['an error of 100 KB', say(`-ERR ${'x'.repeat(100_000)}\r\n`)],
  ['an error with control characters', say('-ERR \u0000\u001b[31m\u0007\r\n')],
  ['an error with formats', say('-%s %d %o ${x}\r\n')],
  ['NOSCRIPT for ever', say('-NOSCRIPT No matching script\r\n')],
  ['BUSY for ever', say('-BUSY Redis is busy running a script\r\n')],
  ['MOVED to nowhere', say('-MOVED 0 127.0.0.1:1\r\n')],
];

/** What ends with the connection. */
const endings: readonly Case[] = [
  ['half a number, then the end', (socket) => socket.end(':12')],
  ['half an array, then the end', (socket) => socket.end('*5\r\n$8\r\nacqu')],
  ['half an error, then a reset', (socket) => (socket.write('-ER'), socket.resetAndDestroy(), undefined)],
  ['the end', (socket) => void socket.end()],
  ['bytes that are no protocol', say('\u0000\u0001HTTP/1.1 400 Bad Request\r\n\r\n')],
];

/** After these nobody knows any more which answer belongs to which question, or when one will end. */
export const confusing: readonly Case[] = [
  ['nothing at all', () => undefined],
  ['the header of an array of two billion', say('*2000000000\r\n')],
  ['the header of a text of ten gigabytes', say('$9999999999\r\n')],
  ['half an array, and no more', say('*5\r\n$8\r\nacqu')],
  ['an answer too many', say(number(1), number(2), number(3))],
];

/** Answers of no script of ours. */
const nonsense: readonly Case[] = [
  ['a status', say('+OK\r\n')],
  ['an integer', say(number(1))],
  ['null', say('$-1\r\n')],
  ['a null array', say('*-1\r\n')],
  ['a text', say(bulk('stolen'))],
  ['an empty array', say('*0\r\n')],
  ['an array of null', say(array('$-1\r\n'))],
  ['an array of arrays', say(array(array(), array(bulk('acquired'))))],
  ['a status that no script has', say(named(bulk('stolen'), number(1)))],
  ['a word that no script has', say((question) => bulk(`stolen ${question}`))],
  ['the question, and nothing else', say((question) => bulk(question))],
  [
    'the answer to another question',
    say(array(bulk('acquired'), number(1), number(1), number(1_000), number(0), bulk('?elsewher.1'))),
  ],
  ['an answer to no question', say(array(bulk('acquired'), number(1), number(1), number(1_000), number(0)))],
  ['a status of another prototype', say(named(bulk('__proto__'), bulk('constructor')))],
  ['too few fields', say(own(number(1)))],
  ['too many fields', say(own(...Array.from({ length: 40 }, () => number(1))))],
  ['a huge array', say(array(...Array.from({ length: 5_000 }, () => number(7))))],
  ['a long text', say(array(bulk('x'.repeat(10_000))))],
  ['a thousand levels of arrays', say(nested(1_000))],
  ['NaN for a number', say(own(bulk('NaN'), bulk('NaN'), bulk('NaN'), bulk('NaN')))],
  ['infinity for a number', say(own(bulk('inf'), bulk('-inf'), bulk('Infinity'), bulk('1e999')))],
  ['negative numbers', say(own(number(-1), number(-1), number(-5), number(-1)))],
  ['numbers beyond what is safe', say(own(number('9223372036854775807'), number(1), number(1), number(1)))],
  ['fractions as text', say(own(bulk('1.5'), bulk('1'), bulk('1e3'), bulk('0x10')))],
  ['an error inside an array', say(named(bulk('acquired'), '-ERR inside\r\n'))],
  [
    'a message nobody subscribed to',
    say(array(bulk('message'), bulk('holdfast_inbox:x'), bulk('1 grant x:1 9 9 9 -'))),
  ],
];

/** What leaves the connection in order, or ends it: a client can go on when the server is polite again. */
export const recoverable: readonly Case[] = [...nonsense, ...errors, ...endings];

/** All that can be said in RESP2, and in RESP3 too. */
export const inBoth: readonly Case[] = [...recoverable, ...confusing];

/** The same in types that only RESP3 has. */
export const inResp3: readonly Case[] = [
  ['NaN', say(',nan\r\n')],
  ['NaN inside', say(own(',nan\r\n', ',inf\r\n', ',-inf\r\n', ',1.5\r\n'))],
  ['a map', say(`%1\r\n${bulk('acquired')}${number(1)}`)],
  ['a map of maps', say(`%1\r\n%1\r\n${number(1)}${number(2)}%0\r\n`)],
  ['a set', say(`~2\r\n${bulk('acquired')}${number(1)}`)],
  ['a boolean', say('#t\r\n')],
  ['no value', say('_\r\n')],
  ['a big number', say('(3492890328409238509324850943850943825024385\r\n')],
  ['a verbatim text', say('=10\r\ntxt:stolen\r\n')],
  ['a long error', say('!9\r\nERR weird\r\n')],
  ['the header of an array longer than any can be', say('*9999999999\r\n')],
  ['the header of a map of two billion', say('%2000000000\r\n')],
  ['the header of a push of two billion', say('>2000000000\r\n')],
  ['pushes and no answer', say(push(bulk('invalidate'), array(bulk('x'))))],
  ['a push of nothing', say(push(), number(1))],
  ['a push of a kind nobody knows, inside the answer', say(push(bulk('weather'), '_\r\n'), own(number(1)))],
  ['pushes of junk, then junk', say(push(bulk('message'), number(1), '_\r\n'), '#f\r\n')],
];
