/**
 * The map from (prefix, name, kind) to keys is injective: for names, prefixes and tenures made of what keys are made of, every key is taken
 * apart in all the ways in which it could have been put together; only one of them may be allowed.
 *
 * HOLDFAST_PROOF=long draws many more. A failure prints its seed and path: see `proofRuns` for how to repeat it.
 */
import { nearNames, proofRuns } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { inboxChannel, type LockKeys, lockKeys } from '../../src/index.js';

const { parameters, timeoutMs } = proofRuns({ quick: 600, long: 200_000 });

/** What a key is for: the lock that it belongs to as Redis knows it, and what it keeps of it. */
interface Meaning {
  readonly keyPrefix: string;
  readonly lock: string;
  readonly kind: string;
  readonly id: string;
}

interface Draw {
  readonly name: string;
  readonly prefix: string;
  readonly keyPrefix: string;
  readonly tenure: string;
}

const pieces = [
  ...['a', 'b', ':', '{', '}', '{a}', '{b}', 'a:', 'app:', 'a:1', ':b:1', 'queue:', 'tagged_', 'dead', '_', '1'],
  ...[
    'holdfast_',
    'holdfast_queue:',
    'holdfast_tagged_queue:',
    'holdfast_fresh:{',
    'holdfast_dead:',
    'holdfast_tagged_dead:',
  ],
  ...['redisson_', 'redisson_lock__channel:', 'holdfast_inbox:'],
];
const textOf = (maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { minLength: 0, maxLength }).map((parts) => parts.join(''));
const prefixes = fc.oneof(fc.constant(''), textOf(3));
/** Ids of clients have no colon; the name of an explicit owner may be anything. */
const tenures = fc
  .tuple(
    fc.oneof(
      fc.constant(''),
      textOf(4).map((owner) => `${owner}:`),
    ),
    fc.constantFrom('a', 'b', '{a', 'queue'),
    fc.constantFrom('1', 'a}'),
  )
  .map(([owner, client, n]) => `${owner}${client}:${n}`);
const draw: fc.Arbitrary<Draw> = fc.record({
  name: fc.oneof(textOf(5), fc.constantFrom(...nearNames('a'))),
  prefix: prefixes,
  keyPrefix: prefixes,
  tenure: tenures,
});

function allowed({ name, prefix, keyPrefix }: Omit<Draw, 'tenure'>): LockKeys | undefined {
  try {
    return lockKeys(name, { prefix, keyPrefix });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const isTenure = (id: string): boolean => /^[^:]+:[^:]+$/.test(id);
const idOf = (tenure: string): string => tenure.split(':').slice(-2).join(':');

/** All keys of a lock as Redis has them, and what each is for. */
function keysOf({ name, prefix, keyPrefix, tenure }: Draw, keys: LockKeys): [string, Meaning][] {
  const lock = keyPrefix + prefix + name;
  const of = (key: string, kind: string, id = ''): [string, Meaning] => [
    keyPrefix + key,
    { keyPrefix, lock, kind, id },
  ];
  return [of(keys.queue, 'queue'), of(keys.fresh, 'fresh'), of(keys.dead(tenure), 'dead', idOf(tenure))];
}

/** Every way to cut the text in two. */
const cuts = (whole: string): [string, string][] =>
  Array.from({ length: whole.length + 1 }, (_, at) => [whole.slice(0, at), whole.slice(at)]);

/** Whether a lock can have this as its own key, whatever of it is prefix. */
const isLock = (key: string): boolean =>
  cuts(key).some(([keyPrefix, name]) => allowed({ name, prefix: '', keyPrefix }) !== undefined);

/** Everything that a key could be for, by trying all locks that it could belong to. */
function meaningsOf(key: string): Meaning[] {
  return [...key.matchAll(/holdfast_(?:tagged_)?(queue|fresh|dead):/g)].flatMap(({ index, 0: word }) => {
    const keyPrefix = key.slice(0, index);
    const rest = key.slice(index + word.length);
    const bare = rest.startsWith('{') ? cuts(rest.slice(1)).map(([lock, after]) => [lock, after.slice(1)]) : [];
    return [...cuts(rest), ...bare].flatMap(([lock = '', behind = '']) => {
      if (!lock.startsWith(keyPrefix)) return [];
      const made: Draw = { name: lock.slice(keyPrefix.length), prefix: '', keyPrefix, tenure: behind.slice(1) };
      const keys = allowed(made);
      if (keys === undefined) return [];
      const meanings = keysOf(made, keys).filter(([text, { id }]) => text === key && (id === '' || isTenure(id)));
      return meanings.map(([, meaning]) => meaning);
    });
  });
}

const unique = (meanings: readonly Meaning[]): Meaning[] => [
  ...new Map(meanings.map((meaning) => [JSON.stringify(meaning), meaning])).values(),
];

describe('a key belongs to one lock and one purpose', () => {
  it(
    'whatever names, braces, prefixes and owners are made of',
    () => {
      let accepted = 0;
      const property = fc.property(draw, (drawn) => {
        const keys = allowed(drawn);
        if (keys === undefined) return;
        accepted++;
        for (const [key, meaning] of keysOf(drawn, keys)) {
          expect(unique(meaningsOf(key))).toEqual([meaning]);
          expect([key, isLock(key)]).toEqual([key, false]);
        }
      });
      fc.assert(property, parameters);
      expect(accepted).toBeGreaterThan((parameters.numRuns ?? 0) / 50);
    },
    timeoutMs,
  );

  it('is the same for every client that calls the lock so, whatever of it is the prefix', () => {
    const meet = fc.property(draw, ({ name, prefix, keyPrefix, tenure }) => {
      if (name === '') return;
      const one = allowed({ name, prefix, keyPrefix });
      const other = allowed({ name: prefix + name, prefix: '', keyPrefix });
      expect([one === undefined, one?.lock]).toEqual([other === undefined, other?.lock]);
      if (one === undefined || other === undefined) return;
      const texts = (keys: LockKeys) => [keys.lock, keys.queue, keys.fresh, keys.dead(tenure), keys.releaseChannel];
      expect(texts(one)).toEqual(texts(other));
    });
    fc.assert(meet, parameters);
  });

  it('and no channel is another one, but for that of Redisson, which pay and {pay} share', () => {
    const channels = fc.property(draw, draw, (one, other) => {
      const [first, second] = [allowed(one), allowed(other)];
      if (first === undefined || second === undefined) return;
      expect(inboxChannel(idOf(one.tenure))).not.toBe(second.releaseChannel);
      const places = [one, other].map(({ keyPrefix, prefix, name }) => keyPrefix + prefix + name);
      if (first.releaseChannel !== second.releaseChannel) return;
      expect(new Set(places.map((place) => (place.includes('{') ? place : `{${place}}`))).size).toBe(1);
    });
    fc.assert(channels, parameters);
  });
});

it('names that nearly collide have different keys, all of them', () => {
  const locks = nearNames('pay').map((name) => lockKeys(name));
  const keys = locks.flatMap((lock) => [lock.lock, lock.queue, lock.fresh, lock.dead('a:1'), lock.dead('x:a:2')]);
  expect(new Set(keys).size).toBe(keys.length);
});
