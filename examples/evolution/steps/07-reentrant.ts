import { setTimeout as sleep } from 'node:timers/promises';
import { Reentrant } from '../systems/07-reentrant.js';
import { Spin } from '../systems/08-spin.js';
import { type Finding, requests, type Stage, type Step } from '../stage.js';
import { comesTrue, requestsTo } from '../watching.js';

const LONG_MS = 60_000;
const TRIES = 20;

export const step: Step = {
  system: 'a hash with a count for each owner',
  flaw: 'it does not wait: each caller must retry',
  cure: 'a call that waits (system 8)',
  async play(stage) {
    const key = stage.name('no-waiting');
    const [holder, caller] = [1, 2].map(() => new Reentrant(stage.redis(), key, LONG_MS));
    await holder?.tryLock();
    let tries = 0;
    while (!(await caller?.tryLock())) {
      tries++;
      if (tries === TRIES) await holder?.unlock();
      await sleep(10);
    }
    return {
      flaw: {
        seen: tries >= TRIES,
        text: `the caller asked ${tries + 1} times until it had the lock`,
        inShort: `${tries + 1} calls`,
      },
      cure: await waited(stage),
      holdfast: await here(stage),
    };
  },
};

async function waited(stage: Stage): Promise<Finding> {
  const key = stage.name('waiting');
  const admin = await stage.server.admin();
  const [holder, caller] = [1, 2].map(() => new Spin(stage.redis(), key, LONG_MS));
  await holder?.tryLock();
  const before = await requestsTo(admin);
  const waiting = caller?.tryLock(LONG_MS);
  await comesTrue(async () => (await requestsTo(admin)) >= before + 5, 'some attempts');
  await holder?.unlock();
  const got = await waiting;
  const asked = `1 call, ${requests((await requestsTo(admin)) - before - 1)}`;
  return { seen: got === true, text: asked, inShort: asked };
}

async function here(stage: Stage): Promise<Finding> {
  const name = stage.name('holdfast');
  const admin = await stage.server.admin();
  const [holder, caller] = [stage.locks(), stage.locks()].map((client) => client.getLock(name));
  // What a client sends once, to begin with, is no part of it.
  await caller?.withLock(() => undefined);
  const hold = await holder?.acquire();
  const before = await requestsTo(admin);
  const waiting = caller?.tryLock(LONG_MS);
  await comesTrue(async () => (await admin.zcard(`holdfast_queue:{${name}}`)) === 1, 'the call to wait');
  await hold?.release();
  const got = await waiting;
  // Of the holder: its release.
  const asked = `1 call, ${requests((await requestsTo(admin)) - before - 1)}`;
  return { seen: got === true, text: `${asked}, and a message`, inShort: asked };
}
