import { describe, expect, it } from '@jest/globals';
import { type Command, permits, readWrite, readWriteKeys, run, semaphoreKeys } from '../src/index.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const stock = semaphoreKeys('stock');
const lock = readWriteKeys('lock');
const times = { leaseMs: 60_000, freshTtlMs: 30_000, ticket: 0, freshMs: 0, claimMs: 3_000, trust: false };

const taking = permits.ask(stock, { tenure: 'b:1', wanted: 1, initial: 0, ...times });
const asking = (side: readWrite.Side, tenure = 'b:1') =>
  readWrite.ask(lock, { tenure, side, writersFirst: false, ...times });
const begun = async () => {
  server.expectLasting(stock.count);
  await server.redis.set(stock.count, 2);
};
const free = () => Promise.resolve();
const read = async () => void (await run(server.port, asking('read', 'a:1')));

const asks: [title: string, key: string, before: () => Promise<void>, command: Command<unknown>][] = [
  ['permits', stock.queue, begun, taking],
  ...[lock.writers, lock.readers].flatMap((key): typeof asks => [
    [`a free lock to read, ${key}`, key, free, asking('read')],
    [`a free lock to write, ${key}`, key, free, asking('write')],
    [`a lock that others read, ${key}`, key, read, asking('read')],
  ]),
];

describe('where something else stands in place of a queue, nothing is taken that could not be given back', () => {
  it.each(asks)('%s', async (_, key, before, command) => {
    await before();
    await server.redis.set(key, 'something else', 'PX', 60_000);
    const dumps = async () =>
      Promise.all([stock.count, stock.permits, lock.lock].map((each) => server.redis.dumpBuffer(each)));
    const there = await dumps();
    await expect(run(server.port, command)).rejects.toThrow('WRONGTYPE');
    expect(await dumps()).toEqual(there);
  });
});
