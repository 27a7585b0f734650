import { Schedule } from '@holdfast/watchdog';
import { ManualClock } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Keyspace } from '../src/connection/keyspace.js';
import { type ListingClient, listLocks, type ListLocksOptions } from '../src/inspection/lock-list.js';
import { failureOf } from './support/outcomes.js';

/** The keys of a server, one in a page; what is asked once it is gone is rejected. */
class FakeKeyspace {
  readonly address: string;
  readonly #keys: readonly string[];
  isGone = false;

  constructor(address: string, ...keys: string[]) {
    this.address = address;
    this.#keys = keys;
  }

  async hashes(cursor: string): Promise<{ next: string; keys: readonly string[] }> {
    if (this.isGone) throw new Error('The connection was lost');
    const at = Number(cursor);
    return { next: `${(at + 1) % this.#keys.length}`, keys: this.#keys.slice(at, at + 1) };
  }
}

/** A client of servers each of whose keys is a lock that is held. */
function setUp(...servers: FakeKeyspace[]) {
  return setUpWith({}, ...servers);
}

function setUpWith(options: ListLocksOptions, ...servers: FakeKeyspace[]) {
  const clock = new ManualClock();
  const reply = { nowMs: 0, owner: { id: 'one', holdCount: 1, foreign: true, resting: false }, holders: 1, waiting: 0 };
  const topology = {
    get keyspaces() {
      return [...servers] as unknown as readonly Keyspace[];
    },
  };
  const parts = {
    clock,
    topology,
    settings: { responseTimeoutMs: 1_000, attemptTimeoutMs: 100 },
    waits: new Schedule(clock, 'keeps-process-alive', () => undefined),
    nextTurn: setImmediate,
    sender: { answer: () => Promise.resolve({ kind: 'reply', reply }) },
  };
  const client = {
    backend: { parts, prefixes: {}, whenReached: () => Promise.resolve() },
    clientId: 'client',
    registry: { admit: () => undefined, enlist: () => undefined, leave: () => undefined },
  };
  const list = listLocks(client as unknown as ListingClient, options);
  return {
    read: async () => (await list.next()).value?.name,
    /** Reads while time goes by. */
    readPatiently: async () => {
      let isOver = false;
      const reading = list.next().finally(() => (isOver = true));
      reading.catch(() => undefined);
      for (let step = 0; !isOver && step < 1_000; step++) await clock.advance(20);
      return (await reading).value?.name;
    },
    replace: (old: FakeKeyspace, other: FakeKeyspace) => {
      old.isGone = true;
      servers.splice(servers.indexOf(old), 1, other);
    },
  };
}

describe('a list of the locks of several servers, when another one takes over from one of them', () => {
  it('goes on there, from its beginning, and tells each lock once', async () => {
    const [first, old, other] = [
      new FakeKeyspace('first', 'a', 'b'),
      new FakeKeyspace('old', 'c', 'd', 'e'),
      new FakeKeyspace('other', 'd', 'c', 'e'),
    ];
    const { read, replace } = setUp(first, old);
    expect([await read(), await read(), await read()]).toEqual(['a', 'b', 'c']);
    replace(old, other);
    expect([await read(), await read(), await read()]).toEqual(['d', 'e', undefined]);
  });

  it('looks there too when it was through with the old one', async () => {
    const [first, last] = [new FakeKeyspace('first', 'a', 'b'), new FakeKeyspace('last', 'c')];
    const { read, replace } = setUp(first, last);
    expect([await read(), await read(), await read()]).toEqual(['a', 'b', 'c']);
    replace(first, new FakeKeyspace('other', 'b', 'a', 'later'));
    expect([await read(), await read()]).toEqual(['later', undefined]);
  });
});

describe('a list of the locks of several servers, one of which gives no answer', () => {
  const gone = () => Object.assign(new FakeKeyspace('away', 'a'), { isGone: true });
  const missing = {
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringMatching(/^Locks are missing: .* keys of away: /),
    missing: ['away'],
  };

  it('has those of all others, and ends with an error that says whose are missing', async () => {
    const { read, readPatiently } = setUp(gone(), new FakeKeyspace('there', 'b', 'c'));
    expect([await readPatiently(), await read()]).toEqual(['b', 'c']);
    expect(await failureOf(read())).toMatchObject(missing);
  });

  it('says so also where it has as many as it may', async () => {
    const { read, readPatiently } = setUpWith({ limit: 1 }, gone(), new FakeKeyspace('there', 'b', 'c'));
    expect(await readPatiently()).toBe('b');
    expect(await failureOf(read())).toMatchObject(missing);
  });

  it('does not pass for a part of the list where no other answers', async () => {
    const { readPatiently } = setUp(gone(), gone());
    const message = expect.stringMatching(/^No answer about the keys of away/);
    const failure = await failureOf(readPatiently());
    expect(failure).toMatchObject({ code: 'LOCK_UNAVAILABLE', message });
    expect(failure).not.toHaveProperty('missing');
  });
});
