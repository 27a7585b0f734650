/** What a memory server can be put through, apart from the refusals that the differential test compares. */
import { ManualClock } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { direct, memoryRedis, MemoryServer, type MemoryServerOptions } from '../src/index.js';
import { knownScripts } from '../src/server/known-scripts.js';

function setUp() {
  const clock = new ManualClock();
  const server = (name: string) =>
    new MemoryServer({ now: () => 1_700_000_000_000 + clock.now(), timers: clock, name });
  const connect = (to: MemoryServer): Redis =>
    memoryRedis({ network: direct(() => to), timers: clock }, { lazyConnect: true });
  return { clock, server, connect };
}

describe('a replica', () => {
  it('has what has arrived, and loses the rest when it becomes the master', async () => {
    const { server, connect } = setUp();
    const [master, replica] = [server('one'), server('two')];
    const [writer, reader] = [connect(master), connect(replica)];
    await writer.set('before', '1');
    const replication = master.replicateTo(replica);
    await writer.set('first', '1', 'PX', 5_000);
    await writer.hset('second', 'field', '2');
    await writer.del('before');
    expect(replication.pending).toBe(3);
    expect(await reader.keys('*')).toEqual(['before']);
    replication.arrive(2);
    expect((await reader.keys('*')).sort()).toEqual(['before', 'first', 'second']);
    expect(await reader.pttl('first')).toBe(5_000);
    await expect(reader.set('x', '1')).rejects.toThrow('READONLY');
    replication.end();
    replica.promote();
    master.demote();
    await expect(reader.set('x', '1')).resolves.toBe('OK');
    expect(await reader.exists('before')).toBe(1);
    await expect(writer.set('y', '1')).rejects.toThrow('READONLY');
  });

  it('is waited for by WAIT, for as long as is told, and what comes behind WAIT waits too', async () => {
    const { server, connect, clock } = setUp();
    const [master, replica] = [server('one'), server('two')];
    const writer = connect(master);
    const replication = master.replicateTo(replica);
    await writer.set('key', '1');
    const answers: unknown[] = [];
    const waiting = [writer.wait(1, 1_000), writer.get('key')].map((answer) =>
      answer.then((found) => answers.push(found)),
    );
    await clock.advance(999);
    expect(answers).toEqual([]);
    await clock.advance(1);
    await Promise.all(waiting);
    expect(answers).toEqual([0, '1']);
    const confirmed = writer.wait(1, 0);
    await clock.advance(0);
    replication.arrive();
    await expect(confirmed).resolves.toBe(1);
  });
});

describe('a server that restarts', () => {
  it.each(['data kept', 'data lost'] as const)('ends its connections and knows no script: %s', async (data) => {
    const { server, connect, clock } = setUp();
    const one = server('one');
    const redis = connect(one);
    const seen: string[] = [];
    redis.on('close', () => seen.push('close'));
    await redis.set('key', '1');
    one.restart(data);
    await clock.advance(100);
    expect(seen).toEqual(['close']);
    expect(await redis.exists('key')).toBe(data === 'data kept' ? 1 : 0);
    expect(await redis.info()).toContain('run_id:one-2');
    redis.disconnect();
  });
});

it('a bug in a command is an error reply to its client, who goes on, unless who drives the server wants it', async () => {
  const { connect } = setUp();
  const scripts = {
    glance: () => {
      throw new TypeError('a bug');
    },
  };
  const server = (more: Partial<MemoryServerOptions>) => new MemoryServer({ now: () => 1, scripts, ...more });
  const { source } = knownScripts.find(({ name }) => name === 'glance') as { source: string };
  const redis = connect(server({}));
  const behind = [redis.eval(source, 0), redis.set('key', '1')];
  await expect(behind[0]).rejects.toThrow('ERR TypeError: a bug');
  await expect(behind[1]).resolves.toBe('OK');
  redis.disconnect();
  const driven = server({ bugs: 'thrown' }).accept({ receive: () => undefined, hungUp: () => undefined });
  expect(() => driven.execute(['eval', source, '0'])).toThrow('a bug');
});

it('keys end in the time of the server, and are there for as long as Redis says so', async () => {
  const { server, connect, clock } = setUp();
  const redis = connect(server('one'));
  await redis.set('key', '1', 'PX', 1_000);
  await clock.advance(1_000);
  expect(await redis.pttl('key')).toBe(0);
  await clock.advance(1);
  expect([await redis.pttl('key'), await redis.exists('key')]).toEqual([-2, 0]);
});

it('a server that loads is not ready, and then is', async () => {
  const { server, connect, clock } = setUp();
  const one = server('one');
  const loaded = one.refuse({ code: 'LOADING' });
  const redis = connect(one);
  const answer = redis.set('key', '1');
  await clock.advance(5_000);
  expect(redis.status).toBe('connect');
  loaded();
  await clock.advance(1_000);
  await expect(answer).resolves.toBe('OK');
});
