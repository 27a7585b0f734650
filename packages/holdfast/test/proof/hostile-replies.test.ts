import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { createLockClient, type LockClient, LockError } from 'holdfast';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { type Hostility, HostileServer } from '../support/hostile-server.js';

const kit = useRedis();

const attemptTimeoutMs = 100;
const responseTimeoutMs = 200;
const waitMs = 150;
/** What scheduling on a busy machine may add. */
const slackMs = 1_000;

const say =
  (...frames: string[]): Hostility =>
  (socket) =>
    void socket.write(frames.join(''));
const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const array = (...items: string[]) => `*${items.length}\r\n${items.join('')}`;
const number = (value: number | string) => `:${value}\r\n`;
const nested = (depth: number) => `${'*1\r\n'.repeat(depth)}:1\r\n`;
const own = (...fields: string[]) => array(bulk('acquired'), ...fields);

const inBoth: [string, Hostility][] = [
  ['a status', say('+OK\r\n')],
  ['an integer', say(number(1))],
  ['null', say('$-1\r\n')],
  ['a null array', say('*-1\r\n')],
  ['a text', say(bulk('acquired'))],
  ['an empty array', say('*0\r\n')],
  ['an array of null', say(array('$-1\r\n'))],
  ['an array of arrays', say(array(array(), array(bulk('acquired'))))],
  ['a status that no script has', say(array(bulk('stolen'), number(1)))],
  ['a status of another prototype', say(array(bulk('__proto__'), bulk('constructor')))],
  ['too few fields', say(own(number(1)))],
  ['too many fields', say(own(...Array.from({ length: 40 }, () => number(1))))],
  ['a huge array', say(array(...Array.from({ length: 20_000 }, () => number(7))))],
  ['a long text', say(array(bulk('x'.repeat(10_000))))],
  ['a thousand levels of arrays', say(nested(1_000))],
  ['NaN for a number', say(own(bulk('NaN'), bulk('NaN'), bulk('NaN'), bulk('NaN')))],
  ['infinity for a number', say(own(bulk('inf'), bulk('-inf'), bulk('Infinity'), bulk('1e999')))],
  ['negative numbers', say(own(number(-1), number(-1), number(-5), number(-1)))],
  ['numbers beyond what is safe', say(own(number('9223372036854775807'), number(1), number(1), number(1)))],
  ['fractions as text', say(own(bulk('1.5'), bulk('1'), bulk('1e3'), bulk('0x10')))],
  ['an error inside an array', say(array(bulk('acquired'), '-ERR inside\r\n'))],
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
  ['a lease of nothing for ever', say(array(bulk('wait'), number(0), number(0), number(1), number(1), number(0)))],
  ['busy for the longest time', say(array(bulk('busy'), number(2 ** 53 - 1), number(2 ** 53 - 1), number(0)))],
  ['dead', say(array(bulk('dead')))],
  ['an answer too many', say(number(1), number(2), number(3))],
  ['nothing at all', () => undefined],
  ['half a number, then the end', (socket) => socket.end(':12')],
  ['half an array, then the end', (socket) => socket.end('*5\r\n$8\r\nacqu')],
  ['half an error, then a reset', (socket) => (socket.write('-ER'), socket.resetAndDestroy(), undefined)],
  ['the end', (socket) => void socket.end()],
  ['bytes that are no protocol', say('\u0000\u0001HTTP/1.1 400 Bad Request\r\n\r\n')],
  [
    'a message nobody subscribed to',
    say(array(bulk('message'), bulk('holdfast_inbox:x'), bulk('1 grant x:1 9 9 9 -'))),
  ],
];

const inResp3: [string, Hostility][] = [
  ['NaN', say(',nan\r\n')],
  ['NaN inside', say(own(',nan\r\n', ',inf\r\n', ',-inf\r\n', ',1.5\r\n'))],
  ['a map', say(`%1\r\n${bulk('acquired')}${number(1)}`)],
  ['a set', say(`~2\r\n${bulk('acquired')}${number(1)}`)],
  ['a boolean', say('#t\r\n')],
  ['null', say('_\r\n')],
  ['a big number', say('(3492890328409238509324850943850943825024385\r\n')],
  ['a verbatim text', say('=12\r\ntxt:acquired\r\n')],
  ['a long error', say('!9\r\nERR weird\r\n')],
  ['pushes and no answer', say(`>2\r\n${bulk('invalidate')}${array(bulk('x'))}`)],
  ['a push of nothing', say('>0\r\n', number(1))],
  ['pushes of junk, then junk', say(`>3\r\n${bulk('message')}${number(1)}_\r\n`, '#f\r\n')],
];

interface Speaker {
  readonly title: string;
  open(target: { host: string; port: number }): Redis;
}
const onResp2: Speaker = {
  title: 'ioredis 5',
  open: (target) => new Redis5({ ...target, enableReadyCheck: false, disconnectTimeout: 100 }) as unknown as Redis,
};
const onResp3: Speaker = {
  title: 'ioredis 6',
  open: (target) => new Redis({ ...target, enableReadyCheck: false, disconnectTimeout: 100 }),
};

/** How a call ended: the code of a typed error, or what it should not have done. */
async function ending(boundMs: number, call: () => Promise<unknown>): Promise<string> {
  const startedAt = performance.now();
  const outcome = await call().then(
    (value) => (value === false || value === null ? 'busy' : `resolved with ${JSON.stringify(value)}`),
    (error: unknown) => (error instanceof LockError ? 'typed' : `no typed error: ${String(error)}`),
  );
  const ms = performance.now() - startedAt;
  return ms < boundMs + slackMs ? outcome : `${outcome} after ${Math.round(ms)} ms, not ${boundMs}`;
}

async function everyCall(client: LockClient): Promise<string[]> {
  return Promise.all([
    ending(attemptTimeoutMs, () => client.getLock('tryLock').tryLock()),
    ending(waitMs, () => client.getLock('wait').tryLock(waitMs)),
    ending(waitMs, () => client.getLock('acquire').acquire({ waitMs })),
    ending(waitMs, () => client.getLock('withLock').withLock({ waitMs, leaseMs: 500 }, () => 'inside')),
    ending(responseTimeoutMs, () => client.getLock('isLocked').isLocked()),
    ending(responseTimeoutMs, () => client.getLock('ttl').remainTimeToLive()),
    ending(responseTimeoutMs, () => client.getLock('force').forceUnlock()),
    ending(responseTimeoutMs, () => client.inspect('inspect')),
  ]);
}

/** What went wrong with a client whose server is that hostile. */
async function faultsOf(speaker: Speaker, hostility: Hostility): Promise<string[]> {
  const server = new HostileServer(hostility);
  const target = await server.listen();
  kit.cleanup(() => server.close());
  const redis = speaker.open(target);
  redis.on('error', () => undefined);
  kit.cleanup(() => redis.disconnect());
  const client = createLockClient({ redis, attemptTimeoutMs, responseTimeoutMs });
  kit.cleanup(() => client.close());
  const faults = (await everyCall(client)).filter((one) => one !== 'typed' && one !== 'busy');
  if (server.scripts === 0) faults.push('no script was sent');
  if (server.scripts > 2_000) faults.push(`${server.scripts} scripts were sent`);
  await client.close();
  redis.disconnect();
  await waitUntil(() => server.connections === 0, { what: 'no connection left' });
  return faults;
}

/** Some at a time: most of their time is waiting. */
const batchSize = 8;
const batches = (cases: readonly [string, Hostility][]) =>
  Array.from({ length: Math.ceil(cases.length / batchSize) }, (_, index) => {
    const batch = cases.slice(index * batchSize, (index + 1) * batchSize);
    return { told: batch.map(([title]) => title).join('; '), batch };
  });

describe.each([onResp2, onResp3])(
  '$title: every call ends with a typed error in time, and close() leaves nothing,',
  (speaker) => {
    it.each(batches(speaker === onResp3 ? [...inBoth, ...inResp3] : inBoth))('told $told', async ({ batch }) => {
      const outcomes = await Promise.all(
        batch.map(async ([title, hostility]) => ({ title, faults: await faultsOf(speaker, hostility) })),
      );
      expect(outcomes).toEqual(batch.map(([title]) => ({ title, faults: [] })));
    });
  },
);
