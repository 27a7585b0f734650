/** What a request that left together with others remembers of an error of all. */
import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../src/connection/connection.js';
import { type Answer, PendingCommand } from '../src/connection/pending-command.js';
import type { Topology } from '../src/connection/topology.js';

/** Fails in a command for several. */
function setUp(error: Error) {
  const topology: Pick<Topology, 'troubleWith'> = { troubleWith: () => undefined };
  const source = { build: () => Promise.reject(new Error('nothing is sent here')) };
  const pending = new PendingCommand(topology as Topology, 'lock', source as never, {}, () => undefined);
  const connection = { epoch: 1, node: 'node' } as Connection;
  pending.sentOn(connection);
  const delayMs = pending.failed({ connection, epoch: connection.epoch }, { kind: 'unknown' }, error);
  return { pending, connection, delayMs };
}

/** Is sent again then, alone, and has no answer until it is dropped. */
function unansweredAfter(error: Error): Answer<unknown> | undefined {
  const { pending, connection } = setUp(error);
  pending.sentOn(connection);
  let answer: Answer<unknown> | undefined;
  pending.whenAnswered({ onAnswer: (given) => (answer = given) });
  pending.drop();
  return answer;
}

const replyError = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

describe('a request that was in a command for several which has failed', () => {
  it('is sent again at once where Redis has refused another for good, and Redis can be reached', () => {
    const { pending, delayMs } = setUp(replyError('NOTALOCK'));
    expect({ delayMs, apart: pending.apart, setback: pending.setback }).toEqual({
      delayMs: 0,
      apart: true,
      setback: false,
    });
  });

  it('waits, and may not be able to reach Redis, where nothing was answered', () => {
    const { pending, delayMs } = setUp(new Error('Connection is closed.'));
    expect({ delayMs, apart: pending.apart, setback: pending.setback }).toEqual({
      delayMs: 20,
      apart: false,
      setback: true,
    });
  });
});

describe('a request that has no answer after a command for several has failed', () => {
  it('does not blame what Redis has refused for good: that was said of another', () => {
    const answer = unansweredAfter(replyError("NOPERM No permissions to access a key used as 'other'"));
    expect(answer).toEqual({ kind: 'silent', error: undefined });
  });

  it.each([replyError('BUSY Redis is busy running a script.'), new Error('Connection is closed.')])(
    'blames what was said of all of them: %s',
    (error) => {
      expect(unansweredAfter(error)).toEqual({ kind: 'silent', error });
    },
  );
});
