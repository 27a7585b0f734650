import { SetnxExpire } from '../systems/01-setnx-expire.js';
import { OneScript } from '../systems/03-one-script.js';
import { millis, type Stage, type Step } from '../stage.js';
import { comesTrue } from '../watching.js';

const TRIES = 10;

export const step: Step = {
  system: 'SETNX, EXPIRE, DEL',
  flaw: 'a crash between the two commands locks for ever; anybody can unlock',
  cure: 'both commands in one script (system 3)',
  async play(stage) {
    const redis = stage.redis();
    const key = stage.name('two-commands');
    const victim = stage.process('between two commands', key);
    await victim.says();
    await victim.kill();
    const gotIt = await new SetnxExpire(redis, key, 1_000).poll(TRIES, 20);
    const ttl = await redis.pttl(key);
    const together = await twoInside(stage);
    return {
      flaw: {
        seen: !gotIt && ttl === -1 && together,
        text: `killed between them: TTL ${ttl}, taken for ever, ${TRIES} tries in vain; then a stranger's DEL let two in`,
        inShort: `never free (TTL ${ttl})`,
      },
      ...(await killedHolding(stage)),
    };
  },
};

/** The second flaw: a stranger unlocks what another has, and takes it. */
async function twoInside(stage: Stage): Promise<boolean> {
  const key = stage.name('blind-unlock');
  const [owner, stranger] = [1, 2].map(() => new SetnxExpire(stage.redis(), key, 60_000));
  const inside = await owner?.tryLock();
  await stranger?.unlock();
  return inside === true && (await stranger?.tryLock()) === true;
}

/** Cured: one that is killed while it holds leaves a lease behind, which ends. */
async function killedHolding(stage: Stage) {
  const [key, name] = [stage.name('one-script'), stage.name('holdfast')];
  const { shortMs } = stage.tempo;
  const admin = await stage.server.admin();
  const victim = stage.process('holding', String(3 * shortMs), key, name);
  const held = await victim.says<boolean>();
  const next = stage.locks().getLock(name).acquire();
  await comesTrue(async () => (await admin.zcard(`holdfast_queue:{${name}}`)) === 1, 'the next one to wait');
  await victim.kill();
  const killedAt = performance.now();
  const hold = await next;
  const toldMs = performance.now() - killedAt;
  const after = new OneScript(stage.redis(), key, 1_000);
  await comesTrue(() => after.tryLock(), "the dead holder's lease to end");
  const freeMs = performance.now() - killedAt;
  return {
    cure: {
      seen: held,
      text: `killed while it held: free after ${millis(freeMs)}, with the lease`,
      inShort: `free after ${millis(freeMs)}`,
    },
    holdfast: {
      seen: hold.inherited?.reason === 'expired',
      text: `the same after ${millis(toldMs)}, and the next holder is told: inherited "${hold.inherited?.reason}"`,
      inShort: `free after ${millis(toldMs)}, and told`,
    },
  };
}
