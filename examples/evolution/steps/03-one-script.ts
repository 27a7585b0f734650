import { OneScript } from '../systems/03-one-script.js';
import { Owned } from '../systems/04-owned.js';
import type { Finding, Stage, Step } from '../stage.js';
import { gone } from '../watching.js';

const LONG_MS = 60_000;

export const step: Step = {
  system: 'one script for SETNX and EXPIRE',
  flaw: "its DEL frees another's lock after the lease has run out",
  cure: 'compare the owner, then delete (system 4)',
  async play(stage) {
    const key = stage.name('blind');
    const late = new OneScript(stage.redis(), key, stage.tempo.shortMs);
    const [second, third] = [1, 2].map(() => new OneScript(stage.redis(), key, LONG_MS));
    await late.tryLock();
    await gone(stage.redis(), key);
    const inside = await second?.tryLock();
    await late.unlock();
    const alsoInside = await third?.tryLock();
    return {
      flaw: {
        seen: inside === true && alsoInside === true,
        text: 'A was late; its DEL deleted the lock of B, and C came in beside B',
        inShort: '2 inside',
      },
      cure: await compared(stage),
      holdfast: await here(stage),
    };
  },
};

async function compared(stage: Stage): Promise<Finding> {
  const key = stage.name('compared');
  const late = new Owned(stage.redis(), key, stage.tempo.shortMs);
  const [second, third] = [1, 2].map(() => new Owned(stage.redis(), key, LONG_MS));
  await late.tryLock();
  await gone(stage.redis(), key);
  const inside = await second?.tryLock();
  const refusal = await late.unlock().then(
    () => 'unlocked',
    (error: unknown) => String(error),
  );
  const alsoInside = await third?.tryLock();
  return {
    seen: inside === true && alsoInside === false,
    text: `A is told "${refusal}"; B is alone`,
    inShort: '1 inside',
  };
}

async function here(stage: Stage): Promise<Finding> {
  const name = stage.name('holdfast');
  const [first, second, third] = [stage.locks(), stage.locks(), stage.locks()].map((client) => client.getLock(name));
  const late = await first?.acquire({ leaseMs: stage.tempo.shortMs });
  await second?.acquire({ leaseMs: LONG_MS });
  const refusal = await late?.release().then(
    () => 'released',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
  const alsoInside = await third?.tryLock();
  return {
    seen: refusal === 'LOCK_LOST' && alsoInside === false,
    text: `A is told ${refusal}; B is alone`,
    inShort: '1 inside',
  };
}
