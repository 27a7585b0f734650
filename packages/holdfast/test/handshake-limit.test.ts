import { EventEmitter } from 'node:events';
import { ManualClock } from '@holdfast/testkit';
import { Schedule } from '@holdfast/watchdog';
import { expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { ConnectionTools } from '../src/connection/connection-tools.js';
import { HandshakeLimit } from '../src/connection/handshake-limit.js';
import { ServerCheck } from '../src/connection/server-check.js';
import { turns } from './support/room.js';

/** A connection that has just been made, to a server that says `info`; its handshake ends when told to. */
function setUp(info = '') {
  const clock = new ManualClock();
  const schedule = new Schedule(clock, 'keeps-process-alive', () => undefined);
  const at = (time: number, action: () => void) => schedule.at(time, action);
  const tools: ConnectionTools = {
    at,
    after: (ms, action) => at(clock.now() + ms, action),
    now: () => clock.now(),
    random: Math.random,
    nextTurn: (run) => void setImmediate(run),
    silenceMs: 1_000,
    serverCheck: new ServerCheck('node', () => undefined),
    onError: () => undefined,
  };
  const seen = { errors: [] as string[], ended: 0, loading: 0 };
  const redis = Object.assign(new EventEmitter(), {
    options: { host: 'somewhere', port: 6379, enableReadyCheck: true },
    disconnect: () => void seen.ended++,
    info: () => Promise.resolve(info),
  });
  redis.on('error', ({ message }) => void seen.errors.push(message));
  const limit = new HandshakeLimit(redis as unknown as Redis, tools, () => void seen.loading++);
  redis.emit('connect');
  return { clock, redis, seen, limit };
}

it('a handshake in which nothing comes is told of and ended when its time is over', async () => {
  const { clock, seen } = setUp();
  await clock.advance(999);
  await turns(3);
  expect(seen).toMatchObject({ errors: [], ended: 0 });
  await clock.advance(2);
  await turns(3);
  expect(seen).toMatchObject({ errors: ['somewhere:6379 takes connections and did not answer in time'], ended: 1 });
  expect(clock.pendingTimers).toBe(0);
});

it('in which the event loop stands still again and again, between one answer and the next, it goes on', async () => {
  const { clock, redis, seen } = setUp();
  for (let answer = 0; answer < 4; answer++) {
    clock.jump(250);
    await clock.advance(5);
    await turns(3);
  }
  redis.emit('ready');
  await clock.advance(2_000);
  await turns(3);
  expect(seen).toMatchObject({ errors: [], ended: 0 });
  expect(clock.pendingTimers).toBe(0);
});

it('what is read when its time is over is its end all the same', async () => {
  const { clock, redis, seen } = setUp();
  await clock.advance(1_000);
  redis.emit('ready');
  await turns(3);
  expect(seen).toMatchObject({ errors: [], ended: 0 });
});

it('what is closed tells nothing and leaves nothing', async () => {
  const { clock, seen, limit } = setUp();
  limit.close();
  await clock.advance(2_000);
  await turns(3);
  expect(seen).toMatchObject({ errors: [], ended: 0 });
  expect(clock.pendingTimers).toBe(0);
});

it.each([
  ['loading:1\r\nasync_loading:0', 1],
  ['loading:0\r\nasync_loading:1', 0],
])('a server that says %j is told of as loading %i times', async (says, times) => {
  const { clock, seen } = setUp(`# Persistence\r\n${says}\r\n`);
  await clock.advance(200);
  await turns(3);
  expect(seen.loading).toBe(times);
});
