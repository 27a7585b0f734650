/** Which copy of a request brings on the next one. */
import { expect, it } from '@jest/globals';
import type { Connection } from '../src/connection/connection.js';
import { PendingCommand } from '../src/connection/pending-command.js';
import { meaningOf } from '../src/connection/reply-errors.js';
import type { Topology } from '../src/connection/topology.js';

const refusal = Object.assign(new Error("READONLY You can't write against a read only replica."), {
  name: 'ReplyError',
});

/** A request whose first copy was unanswered when its connection broke, and whose second is on the next one. */
function sentTwice(sharded = false) {
  let doubts = 0;
  const source = { build: () => Promise.reject(new Error('nothing is sent here')), onDoubt: () => doubts++ };
  const topology: Partial<Topology> = { sharded, troubleWith: () => undefined };
  const pending = new PendingCommand(topology as Topology, 'lock', source as never, {}, () => undefined);
  const line = {} as Connection;
  const connection = (epoch: number) => Object.assign(line, { epoch });
  pending.sentOn(connection(1));
  pending.sentOn(connection(2));
  const fail = (epoch: number, error = refusal) => pending.failed({ connection: line, epoch }, meaningOf(error), error);
  return { fail, pending, connection, doubts: () => doubts };
}

it('the last copy brings on the next, whether or not an earlier one, of a connection that has broken, is ever answered', () => {
  expect(sentTwice().fail(2)).toBeGreaterThan(0);
});

it('an earlier copy that a connection has sent again by itself brings on none: there would be two', () => {
  const { fail } = sentTwice();
  expect(fail(2)).toBeGreaterThan(0);
  expect(fail(1)).toBeUndefined();
});

it('of two copies on one connection that which fails last does', () => {
  const { fail, pending, connection } = sentTwice();
  pending.sentOn(connection(2));
  expect(fail(2)).toBeUndefined();
  expect(fail(2)).toBeGreaterThan(0);
});

it('a refusal counts until there is an answer, also when it was asked again on another connection', () => {
  const { fail, pending, connection } = sentTwice();
  expect(pending.setback).toBe(false);
  fail(2);
  expect(pending.setback).toBe(true);
  pending.sentOn(connection(3));
  expect(pending.setback).toBe(true);
  pending.replied({} as never, 0, 'node');
  expect(pending.setback).toBe(false);
});

it('a connection that breaks has refused nothing: it counts until it was asked again on another one', () => {
  const { fail, pending, connection } = sentTwice();
  fail(2, new Error('Connection is closed.'));
  expect(pending.setback).toBe(true);
  pending.sentOn(connection(3));
  expect(pending.setback).toBe(false);
});

it('a copy that is refused when the request was given up has not run', () => {
  const { fail, pending } = sentTwice();
  pending.drop();
  expect(pending.mayRun).toBe(true);
  expect(fail(2)).toBeUndefined();
  expect(pending.mayRun).toBe(false);
});

it('one that is lost with its connection by then may have', () => {
  const { fail, pending } = sentTwice();
  pending.drop();
  fail(2, new Error('Connection is closed.'));
  expect(pending.mayRun).toBe(true);
});

it('in a slot that is on its way the server that it goes to says why, and not the one that sends there', () => {
  const { fail, pending } = sentTwice(true);
  const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
  for (const message of ['ASK 7 there:1', 'TRYAGAIN not all is there', 'ASK 7 there:1']) fail(2, reply(message));
  expect(pending.trouble?.message).toMatch(/^TRYAGAIN/);
});

const ends: readonly (readonly [string, (request: ReturnType<typeof sentTwice>) => unknown])[] = [
  ['refused', ({ fail }) => fail(2)],
  ['answered', ({ pending }) => pending.replied({} as never, 0, 'node')],
];

it.each(ends)(
  'a copy that a client of yours has sent again by itself, and is %s, leaves the one before in doubt',
  (_, end) => {
    const request = sentTwice();
    request.connection(3);
    end(request);
    expect(request.doubts()).toBe(1);
  },
);

it.each(ends)('a copy that is %s on the connection that it was sent on leaves none in doubt', (_, end) => {
  const request = sentTwice();
  end(request);
  expect(request.doubts()).toBe(0);
});
