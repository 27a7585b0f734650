import { describe, expect, it } from '@jest/globals';
import { Counterpart } from '../src/connection/counterpart.js';
import { drivenTools } from './support/driven-tools.js';
import { turns } from './support/room.js';

/** A server that answers what it is, and each PING as the next of `answers` says; with the last when there is no other. */
async function setUp(...answers: readonly (Error | string)[]) {
  const driven = drivenTools();
  let pings = 0;
  let looks = 0;
  const server = {
    options: { enableReadyCheck: true },
    info: () => Promise.resolve('role:master\r\nrun_id:1\r\n'),
    ping: () => {
      const answer = answers[Math.min(pings++, answers.length - 1)];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
  const way = { ready: true, epoch: 1, retired: false, sent: () => undefined, answered: () => undefined };
  const listener = { onOther: () => undefined, onLooked: () => void looks++ };
  const counterpart = new Counterpart(server as never, way, listener, driven.tools);
  counterpart.ask();
  await turns(2);
  driven.stall(1_000);
  looks = 0;
  return { counterpart, ...driven, pings: () => pings, looks: () => looks };
}

const refusal = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

describe('a server that has been quiet for a second', () => {
  it('is asked once, and has answered then for a second', async () => {
    const { counterpart, pings, looks, stall } = await setUp('PONG');
    expect([counterpart.stir(), counterpart.stir(), pings()]).toEqual([false, false, 1]);
    await turns();
    expect([looks(), counterpart.stir(), pings()]).toEqual([1, true, 1]);
    stall(1_000);
    expect([counterpart.stir(), pings()]).toEqual([false, 2]);
  });

  it('has answered by a refusal for want of a right', async () => {
    const { counterpart, looks } = await setUp(refusal("NOPERM User x has no permissions to run the 'ping' command"));
    counterpart.stir();
    await turns();
    expect([looks(), counterpart.stir()]).toEqual([1, true]);
  });

  it.each([
    ['without an answer, as by a commandTimeout', new Error('Command timed out')],
    ['as one that answers nothing now', refusal('BUSY Redis is busy running a script.')],
  ])('is asked again in a while when the question has ended %s', async (_, failure) => {
    const { counterpart, due, passAll, looks, pings } = await setUp(failure, 'PONG');
    counterpart.stir();
    await turns();
    expect([looks(), due()]).toEqual([0, [1_200]]);
    passAll();
    expect([looks(), counterpart.stir(), pings()]).toEqual([1, false, 2]);
    await turns();
    expect([looks(), counterpart.stir()]).toEqual([2, true]);
  });
});
