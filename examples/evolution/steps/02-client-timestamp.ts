import { ClientTimestamp } from '../systems/02-client-timestamp.js';
import { OneScript } from '../systems/03-one-script.js';
import type { Step } from '../stage.js';

const inside = (got: boolean): string => (got ? '2 inside' : '1 inside');
const said = (got: boolean): string => `a process whose clock is 2 min ahead ${got ? 'gets in at once' : 'is refused'}`;

export const step: Step = {
  system: 'client timestamp and GETSET',
  flaw: 'a clock that is wrong takes what another holds',
  cure: 'the lease is counted by Redis (system 3)',
  async play(stage) {
    const redis = stage.redis();
    const [timestamp, script, name] = [stage.name('timestamp'), stage.name('script'), stage.name('holdfast')];
    await new ClientTimestamp(redis, timestamp, 60_000).tryLock();
    await new OneScript(redis, script, 60_000).tryLock();
    const hold = await stage.locks({ watchdogTimeoutMs: 60_000 }).getLock(name).acquire();
    const other = stage.process('wrong clock', timestamp, script, name);
    const got = await other.says<{ timestamp: boolean; script: boolean; holdfast: boolean }>();
    return {
      flaw: {
        seen: got.timestamp,
        text: `a lock held for a minute: ${said(got.timestamp)}`,
        inShort: inside(got.timestamp),
      },
      cure: { seen: !got.script, text: said(got.script), inShort: inside(got.script) },
      holdfast: {
        seen: !got.holdfast && hold.state === 'held',
        text: `${said(got.holdfast)}; it counts leases by a monotonic clock`,
        inShort: inside(got.holdfast),
      },
    };
  },
};
