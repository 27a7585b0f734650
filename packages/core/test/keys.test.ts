import { describe, expect, it } from '@jest/globals';
import { assertLockName, inboxChannel, lockKeys } from '../src/index.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer('--cluster-enabled', 'yes');

const TENURE = 'owner:client:7';

describe('lockKeys', () => {
  it("puts a name without braces into a hash tag, as Redisson's channel does", () => {
    const keys = lockKeys('stock');
    expect(keys.dead(TENURE)).toBe('holdfast_dead:{stock}:client:7');
    expect(keys).toMatchObject({
      lock: 'stock',
      queue: 'holdfast_queue:{stock}',
      fresh: 'holdfast_fresh:{stock}',
      releaseChannel: 'redisson_lock__channel:{stock}',
    });
  });

  it('leaves a name with its own hash tag as it is, and says so in the kind: {order} and order are two locks', () => {
    expect(lockKeys('{order}:7').dead(TENURE)).toBe('holdfast_tagged_dead:{order}:7:client:7');
    expect(lockKeys('{order}:7')).toMatchObject({
      queue: 'holdfast_tagged_queue:{order}:7',
      fresh: 'holdfast_tagged_fresh:{order}:7',
      releaseChannel: 'redisson_lock__channel:{order}:7',
    });
  });

  it('makes tags and channels of the prefixed name, and leaves the prefix itself to the client', () => {
    expect(lockKeys('x', { keyPrefix: 'app:' })).toMatchObject({
      lock: 'x',
      queue: 'holdfast_queue:{app:x}',
      releaseChannel: 'redisson_lock__channel:{app:x}',
    });
  });

  it.each([
    ['stock', ''],
    ['a b', ''],
    ['ключ', ''],
    ['a{b}c', ''],
    ['{b}', ''],
    ['}x{y}', ''],
    ['a{b}{c}', ''],
    ['a{{b}c', ''],
    ['x', 'app:'],
    ['a{b}c', 'app:'],
    ['x', '{app}:'],
    ['a}b', '{app}:'],
    ['a{}b', '{app}:'],
    ['b}', 'app:a{'],
  ])('puts every key of %j with prefix %j into the slot of the lock, or refuses the name', async (name, keyPrefix) => {
    const slot = (key: string) => server.redis.cluster('KEYSLOT', keyPrefix + key);
    let keys: ReturnType<typeof lockKeys>;
    try {
      keys = lockKeys(name, { keyPrefix });
    } catch (error) {
      expect([name, keyPrefix, error]).toEqual(['b}', 'app:a{', expect.any(RangeError)]);
      return;
    }
    const expected = await slot(keys.lock);
    for (const key of [keys.queue, keys.fresh, keys.dead(TENURE)]) expect(await slot(key)).toBe(expected);
  });

  it.each(['a{b', 'a{}b', 'a}b', '{', '}', '{}', 'a{}{b}', '}a{'])(
    'refuses %j, whose keys Redis Cluster would spread over slots',
    async (name) => {
      const queue = name.includes('{') ? `holdfast_tagged_queue:${name}` : `holdfast_queue:{${name}}`;
      expect(await server.redis.cluster('KEYSLOT', queue)).not.toBe(await server.redis.cluster('KEYSLOT', name));
      expect(() => lockKeys(name)).toThrow(RangeError);
    },
  );
});

it('a prefix is part of the lock, and of nothing that tells whose name it is', () => {
  expect(lockKeys('x', { prefix: 'app:' })).toMatchObject({
    name: 'x',
    lock: 'app:x',
    queue: 'holdfast_queue:{app:x}',
  });
  expect(lockKeys('x', { prefix: 'b:', keyPrefix: 'a:' })).toMatchObject({
    lock: 'b:x',
    queue: 'holdfast_queue:{a:b:x}',
  });
});

describe('assertLockName', () => {
  it.each([undefined, null, 7, {}, ['a'], Symbol('a')])('refuses %p: not a string', (name) => {
    expect(() => assertLockName(name as unknown as string)).toThrow(TypeError);
  });

  it.each([
    ['', 'empty'],
    ['\ud800', 'a lone surrogate'],
    ['a\udc00b', 'a lone surrogate'],
    ['a'.repeat(1025), 'too long'],
    ['é'.repeat(513), 'too long in UTF-8'],
  ])('refuses a name that is %2$s', (name) => {
    expect(() => assertLockName(name)).toThrow(RangeError);
  });

  it.each([
    ['holdfast_x', '"holdfast_x"'],
    ['a{b\n\u001b[2J\u009b\u202e\u2028"', String.raw`"a{b\n\u001b[2J\u009b\u202e\u2028\""`],
    ['\ud800', String.raw`"\ud800"`],
    ['x'.repeat(1025), `"${'x'.repeat(64)}…"`],
  ])('quotes what it refuses, escaped and no longer than a line: %j', (name, quote) => {
    expect(() => assertLockName(name)).toThrow(quote);
    expect(() => assertLockName(name)).toThrow(/^[^\p{C}\u2028]+$/u);
  });

  it.each(['a', ' ', 'a'.repeat(1024), 'é'.repeat(512), '🔒', 'a:b/c\n\u0000'])('takes %j', (name) => {
    expect(() => assertLockName(name)).not.toThrow();
  });
});

it('names the inbox of a client', () => {
  expect(inboxChannel('abc')).toBe('holdfast_inbox:abc');
});
