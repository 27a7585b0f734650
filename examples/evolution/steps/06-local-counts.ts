import { Owned } from '../systems/04-owned.js';
import { LocalCounts } from '../systems/06-local-counts.js';
import { Reentrant } from '../systems/07-reentrant.js';
import type { Finding, Stage, Step } from '../stage.js';
import { gone } from '../watching.js';

const LONG_MS = 60_000;

export const step: Step = {
  system: 're-entry counted in the process',
  flaw: 'the count outlives the lease: a nested call enters what another holds',
  cure: 'the count lives in Redis, with the lease (system 7)',
  async play(stage) {
    const key = stage.name('local-counts');
    const holder = new LocalCounts(stage.redis(), key, stage.tempo.shortMs);
    await holder.tryLock();
    await gone(stage.redis(), key);
    const other = await new Owned(stage.redis(), key, LONG_MS).tryLock();
    const nested = await holder.tryLock();
    return {
      flaw: {
        seen: other && nested,
        text: `B had the lock, and A's nested call came in too, with count ${holder.count}`,
        inShort: '2 inside',
      },
      cure: await counted(stage),
      holdfast: await here(stage),
    };
  },
};

async function counted(stage: Stage): Promise<Finding> {
  const key = stage.name('counted');
  const [holder, other] = [
    new Reentrant(stage.redis(), key, stage.tempo.shortMs),
    new Reentrant(stage.redis(), key, LONG_MS),
  ];
  await holder.tryLock();
  await gone(stage.redis(), key);
  const got = await other.tryLock();
  const nested = await holder.tryLock();
  return { seen: got && !nested, text: "A's nested call is refused", inShort: '1 inside' };
}

async function here(stage: Stage): Promise<Finding> {
  const name = stage.name('holdfast');
  const [mine, theirs] = [stage.locks().getLock(name), stage.locks().getLock(name)];
  let said = 'nothing';
  const outer = mine.withLock({ leaseMs: stage.tempo.shortMs }, async () => {
    await theirs.acquire({ leaseMs: LONG_MS });
    said = await mine.withLock(() => 'let in').catch((error: { code: string }) => error.code);
  });
  const told = await outer.then(
    () => 'nothing',
    (error: { code: string }) => error.code,
  );
  return {
    seen: said === 'LOCK_LOST' && told === 'LOCK_LOST',
    text: `the nested call is told ${said}, its caller too`,
    inShort: said,
  };
}
