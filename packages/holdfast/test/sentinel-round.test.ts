import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { hearSentinels } from '../src/connection/sentinel-round.js';
import { isBeginningAgain, unnamedMaster } from '../src/connection/trouble.js';

/** A connection that was given one sentinel; ioredis has learnt of a second one, which wants a password. */
function setUp() {
  const redis = Object.assign(new EventEmitter(), { options: { sentinels: [{ host: 'good' }], name: 'mymaster' } });
  const round = hearSentinels(redis as unknown as Redis, () => undefined);
  const said = (text: string) => redis.emit('sentinelError', new Error(`failed to connect to sentinel ${text}`));
  const exhausted = () => round(new Error(`${unnamedMaster} NOAUTH Authentication required.`));
  return { redis, round, said, exhausted };
}

describe('a round of the sentinels that begins behind one that has named the master', () => {
  it.each<[string, (made: ReturnType<typeof setUp>) => void]>([
    ['and the connection to it was made', ({ redis }) => redis.emit('connect')],
    [
      'and the connection to it failed',
      ({ round }) => expect(round(new Error('connect ECONNREFUSED'))).toBe(undefined),
    ],
  ])('says nothing of the others, %s', (_, named) => {
    const made = setUp();
    named(made);
    made.redis.emit('connecting');
    made.said('bad:1 because NOAUTH Authentication required.');
    const told = made.exhausted();
    expect(told && isBeginningAgain(told)).toBe(true);
    // The next one begins with the first.
    made.said('good:1 because NOAUTH Authentication required.');
    made.said('bad:1 because NOAUTH Authentication required.');
    expect(made.exhausted()?.message).toBe(`${unnamedMaster} NOAUTH Authentication required.`);
  });
});
