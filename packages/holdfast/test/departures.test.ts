/** How copies leave when very many requests are under way. What comes of it on a real server: `contract/flood.test.ts`. */
import { type Call, type Command, lockKeys, release, ask } from '@holdfast/core';
import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../src/connection/connection.js';
import { Copy } from '../src/connection/copy.js';
import { Departures, type JointCopyKeeper } from '../src/connection/departures.js';
import { PendingCommand } from '../src/connection/pending-command.js';
import type { Topology } from '../src/connection/topology.js';

const granting = { claimMs: 1, trust: true };
const asks = (name: string) =>
  ask(lockKeys(name), { tenure: 'a:1', leaseMs: 1, freshMs: 0, ticket: 0, freshTtlMs: 1, ...granting });
const releases = (name: string) => release(lockKeys(name), { tenure: 'a:1', seq: 1, tombstoneMs: 0, ...granting });

function setUp(underWay: number) {
  /** Each command that has left, by its script and the keys of its locks. */
  const left: string[] = [];
  const failed: string[] = [];
  const refusals: Error[] = [];
  const topology: { -readonly [K in keyof Topology]?: Topology[K] } = {
    placeOf: () => 'here',
    troubleWith: () => undefined,
  };
  const names = new Map<string, string>();
  const leave = (sha: string, keys: readonly string[]) => {
    const locks = keys.flatMap((key) => names.get(key) ?? []);
    left.push(`${sha} ${locks.join(' ')}`);
    const refusal = refusals.pop();
    return refusal === undefined ? new Promise<unknown>(() => undefined) : Promise.reject(refusal);
  };
  const port = { evalsha: leave, eval: leave };
  const connection = { ready: true, epoch: 1, port, gather: () => undefined };
  const keeper: Partial<JointCopyKeeper> = {
    failed: ({ pending }) => failed.push(names.get(pending.lockKey) as string),
    failedTogether: (copies) => copies.forEach((copy) => keeper.failed?.(copy, undefined)),
  };
  const departures = new Departures(keeper as JointCopyKeeper, topology as Topology, { size: underWay });
  const copyOf = (name: string, build: (name: string) => Command<unknown>) => {
    const command = build(name);
    const [lockKey = ''] = command.keys;
    names.set(lockKey, name);
    const pending = new PendingCommand(topology as Topology, lockKey, { build: () => command }, {}, () => undefined);
    return new Copy(pending, connection as unknown as Connection, { command, sentAt: 0 }, keeper as JointCopyKeeper);
  };
  return { left, failed, refusals, connection, topology, departures, copyOf };
}

const turnIsOver = () => new Promise((resolve) => setImmediate(resolve));
const sha = (command: Call<unknown> | undefined) => command?.script.sha;
const shaOf = { ask: sha(asks('x')), asks: sha(asks('x').joint?.([])), releases: sha(releases('x').joint?.([])) };

describe('copies of one turn of the event loop', () => {
  it('leave alone and at once while few requests are under way', () => {
    const { departures, copyOf, left } = setUp(255);
    for (const name of ['a', 'b']) departures.leave(copyOf(name, asks));
    expect(left).toEqual([`${shaOf.ask} a`, `${shaOf.ask} b`]);
  });

  it('leave as one command for each kind, at the end of the turn, when very many are', async () => {
    const { departures, copyOf, left } = setUp(256);
    departures.leave(copyOf('a', asks));
    departures.leave(copyOf('b', releases));
    departures.leave(copyOf('c', asks));
    departures.leave(copyOf('d', releases));
    expect(left).toEqual([]);
    await turnIsOver();
    expect(left).toEqual([`${shaOf.asks} a c`, `${shaOf.releases} b d`]);
  });

  it('do not wait for the end of the turn when there are 64', () => {
    const { departures, copyOf, left } = setUp(256);
    for (let n = 0; n < 64; n++) departures.leave(copyOf(`${n}`, asks));
    expect(left.map((command) => command.split(' ').length - 1)).toEqual([32, 32]);
  });

  it('that concern one lock leave in the order in which they were sent', async () => {
    const { departures, copyOf, left } = setUp(256);
    departures.leave(copyOf('a', asks));
    departures.leave(copyOf('c', asks));
    departures.leave(copyOf('b', releases));
    departures.leave(copyOf('d', releases));
    departures.leave(copyOf('b', asks));
    departures.leaveTogether([copyOf('b', releases), copyOf('e', releases)]);
    await turnIsOver();
    expect(left).toEqual([`${shaOf.asks} a c`, `${shaOf.releases} b d`, `${shaOf.ask} b`, `${shaOf.releases} b e`]);
  });

  it.each([
    ['on the way', new Error('of another')],
    ['for good', Object.assign(new Error('NOTALOCK'), { name: 'ReplyError' })],
  ])('leave alone when they have failed before %s: it may have been because of the others', (_, error) => {
    const { departures, copyOf, left } = setUp(256);
    const copy = copyOf('a', asks);
    copy.pending.sentOn(copy.connection);
    copy.pending.failed(copy, { kind: 'unknown' }, error);
    departures.leave(copy);
    expect(left).toEqual([`${shaOf.ask} a`]);
  });

  it('leave at once in a Cluster, where hardly two could be one', () => {
    const { departures, copyOf, left, topology } = setUp(256);
    topology.sharded = true;
    for (const name of ['a', 'b']) departures.leave(copyOf(name, asks));
    expect(left).toEqual([`${shaOf.ask} a`, `${shaOf.ask} b`]);
  });

  it('leave alone where a server that was given alone has refused locks of several slots', async () => {
    const { departures, copyOf, left, failed, refusals } = setUp(256);
    const leave = async (...names: string[]) => {
      for (const name of names) departures.leave(copyOf(name, asks));
      await turnIsOver();
    };
    const message = "CROSSSLOT Keys in request don't hash to the same slot";
    refusals.push(Object.assign(new Error(message), { name: 'ReplyError' }));
    await leave('a', 'b');
    expect(failed).toEqual(['a', 'b']);
    await leave('c', 'd');
    departures.leaveTogether([copyOf('e', releases), copyOf('f', releases)]);
    expect(left.map((command) => command.split(' ').slice(1))).toEqual([['a', 'b'], ['c'], ['d'], ['e'], ['f']]);
  });

  it('are not handed to a connection that was given up meanwhile, and are told as failed', async () => {
    const { departures, copyOf, left, failed, connection } = setUp(256);
    departures.leave(copyOf('a', asks));
    connection.ready = false;
    departures.leave(copyOf('b', asks));
    await turnIsOver();
    expect({ left, failed }).toEqual({ left: [], failed: ['a', 'b'] });
  });
});
