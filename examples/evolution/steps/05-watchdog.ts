import { Owned } from '../systems/04-owned.js';
import { Watchdog } from '../systems/05-watchdog.js';
import { type Finding, millis, type Stage, type Step } from '../stage.js';
import { comesTrue, renewed } from '../watching.js';

const LONG_MS = 60_000;

export const step: Step = {
  system: 'a watchdog timer for each lock',
  flaw: 'one renewal that fails ends it, and the holder is not told',
  cure: 'renew again until the lease is over, then abort a signal (holdfast)',
  async play(stage) {
    const key = stage.name('watchdog');
    const holder = stage.whenOver(new Watchdog(stage.redis(), key, stage.tempo.shortMs), (lock) => lock.stop());
    await holder.tryLock();
    await refusingWrites(stage, () => comesTrue(() => !holder.isRenewing, 'a renewal that fails'));
    const other = await new Owned(stage.redis(), key, LONG_MS).tryLock(LONG_MS);
    return {
      flaw: {
        seen: other,
        text: 'writes were refused for one renewal (NOREPLICAS); the lease ran out, B came in, nobody told A',
        inShort: 'lost, nobody told',
      },
      cure: await survives(stage),
      holdfast: await told(stage),
    };
  },
};

/** Redis refuses writes for as long as `until` takes: as a master does that has lost its replicas. */
async function refusingWrites(stage: Stage, until: () => Promise<unknown>): Promise<void> {
  const admin = await stage.server.admin();
  await admin.config('SET', 'min-replicas-to-write', '1');
  await until();
  await admin.config('SET', 'min-replicas-to-write', '0');
}

/** The same fault under a hold of holdfast. */
async function survives(stage: Stage): Promise<Finding> {
  const locks = stage.locks({ watchdogTimeoutMs: 10 * stage.tempo.shortMs });
  const name = stage.name('survives');
  const hold = await locks.getLock(name).acquire();
  const doubts: string[] = [];
  locks.on('suspect', (event) => doubts.push(event.name));
  await refusingWrites(stage, () => comesTrue(() => doubts.length > 0, 'a renewal that is refused'));
  await renewed(stage.redis(), name, 1);
  await comesTrue(() => hold.state !== 'suspect', 'the answer to the renewal');
  return {
    seen: hold.state === 'held',
    text: `the same fault: "suspect", renewed again, still ${hold.state}`,
    inShort: `still ${hold.state}`,
  };
}

/** The fault lasts for longer than the lease. */
async function told(stage: Stage): Promise<Finding> {
  const name = stage.name('told');
  const hold = await stage
    .locks()
    .getLock(name)
    .acquire({ leaseMs: 10 * stage.tempo.shortMs });
  let toldAt = Number.NaN;
  hold.signal.addEventListener('abort', () => (toldAt = performance.now()), { once: true });
  await refusingWrites(stage, () => comesTrue(() => hold.signal.aborted, 'the loss to be told'));
  const next = await stage.locks().getLock(name).acquire();
  const beforeMs = performance.now() - toldAt;
  return {
    seen: hold.state === 'lost' && next.state === 'held',
    text: `a fault that outlasts the lease: A was told ${millis(beforeMs)} before B came in`,
    inShort: `told ${millis(beforeMs)} before B`,
  };
}
