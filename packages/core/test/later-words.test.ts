/**
 * A later version may write more words into the entry of its waiter than this one understands (docs/upgrading.md). Its waiter waits, is
 * served and is reported as every other.
 */
import { inboxChannel } from '../src/index.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLAIM, FRESH, LEASE, lockOn, TOMBSTONE } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';
import { almost } from './support/matchers.js';

const server = useLockServer();
const lock = lockOn(server);
const { keys } = lock;
const entryOf = (tenure: string) => server.redis.hget(keys.fresh, tenure);

/** The waiter's entry as a later version might have written it. */
async function saysMore(tenure: string, words: string): Promise<string> {
  const entry = `${await entryOf(tenure)} ${words}`;
  await server.redis.hset(keys.fresh, tenure, entry);
  return entry;
}

const WORDS = ['shared', 'shared 3 -', '17 1700000000000', '-', 'permits=3;token=no'];

describe.each(WORDS)('a waiter of a later version that adds "%s" to its entry', (words) => {
  beforeEach(async () => {
    await lock.ask('a:1');
    await lock.ask('later:1');
    await saysMore('later:1', words);
  });

  const serves: [string, string | undefined, () => Promise<unknown>][] = [
    ['a release', undefined, () => lock.release('a:1', 2)],
    ['a cancel of the owner', undefined, () => lock.cancel('a:1')],
    ['a force unlock', 'forced', () => lock.force('f:1')],
    ['the ask of a newcomer, when the lease has run out', 'expired', () => lock.vanish().then(() => lock.ask('b:1'))],
    [
      'a single attempt, when the lease has run out',
      'expired',
      () => lock.vanish().then(() => lock.ask('b:1', { freshMs: 0 })),
    ],
  ];
  it.each(serves)('is made the only owner by %s, and told', async (_, reason, serve) => {
    const inbox = await server.listen(inboxChannel('later'));
    await serve();
    const { lock: hash, queue, fresh } = await lock.state();
    expect(hash).toEqual({
      'later:1': '1',
      seq: '1',
      ...(reason === undefined ? {} : { [reason]: expect.stringMatching(/^\d{13}$/) }),
    });
    expect(await lock.pttl()).toEqual(almost(CLAIM));
    expect([...queue, ...fresh]).not.toContain('later:1');
    expect((await inbox.received())[0]).toEqual([
      inboxChannel('later'),
      expect.stringMatching(
        new RegExp(`^1 grant later:1 \\d+ \\d+ \\d -${reason === undefined ? '' : ` ${reason} \\d{13}`}$`),
      ),
    ]);
  });

  it('keeps its entry as it is while others ask, and its place before them', async () => {
    const entry = await entryOf('later:1');
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', position: 1 });
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', position: 1 });
    expect(await entryOf('later:1')).toBe(entry);
  });

  it('is reported with its date by an inspection', async () => {
    const { queue, nowMs } = await lock.inspect();
    expect(queue).toEqual([
      { tenure: 'later:1', ticket: expect.any(Number), freshUntilMs: expect.any(Number), leaseMs: expect.any(Number) },
    ]);
    expect((queue[0]?.freshUntilMs ?? 0) - nowMs).toEqual(almost(FRESH));
  });

  it('is passed over when its date is over, and when it has cancelled', async () => {
    await server.redis.hset(keys.fresh, 'later:1', `1 ${LEASE} ${words}`);
    expect(await lock.release('a:1', 2)).toEqual({ kind: 'released', left: 0 });
    await lock.ask('a:2');
    await lock.ask('later:2');
    await saysMore('later:2', words);
    await lock.cancel('later:2', { tombstoneMs: TOMBSTONE });
    expect(await lock.state()).toMatchObject({ queue: [], fresh: [] });
    await lock.release('a:2', 2);
  });
});

it('sixteen live waiters of a later version are not taken for dead ones by those who ask behind them', async () => {
  await lock.ask('a:1');
  const first = Array.from({ length: 16 }, (_, n) => `later:${n + 1}`);
  for (const tenure of first) {
    await lock.ask(tenure);
    await saysMore(tenure, 'shared 3');
  }
  expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', position: 16 });
  expect((await lock.state()).queue).toEqual([...first, 'b:1']);
});

it.each(['', 'soon', '9', '9 ', '9 later', ' 9 9', '9  9', '-9 9', '9.5 9', '99999999999999999 9lives', 'x 9 9'])(
  'an entry that does not begin with two numbers, as "%s", promises nothing: the next waiter is served',
  async (entry) => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.ask('c:1');
    await server.redis.hset(keys.fresh, 'b:1', entry);
    expect((await lock.inspect()).queue[0]).toMatchObject({ tenure: 'b:1', freshUntilMs: undefined });
    expect(await lock.release('a:1', 2)).toEqual({ kind: 'granted', to: 'c:1' });
  },
);
