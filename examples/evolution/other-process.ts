// A process beside the one that tells the story: other-process.ts <role> <redis url> <names…>. It says what it has done, and is killed.
import { Redis } from 'ioredis';
import { ClientTimestamp } from './systems/02-client-timestamp.js';
import { OneScript } from './systems/03-one-script.js';
import { SetnxExpire } from './systems/01-setnx-expire.js';

const MINUTE_MS = 60_000;
const [role = '', url = '', ...names] = process.argv.slice(2);
const redis = new Redis(url);

/** Dies before the second of the two commands is sent. */
async function betweenTwoCommands(key = ''): Promise<void> {
  redis.pexpire = () => {
    process.send?.('SETNX is done, EXPIRE is next');
    return new Promise<number>(() => {});
  };
  await new SetnxExpire(redis, key, MINUTE_MS).tryLock();
}

/** Dies while it holds: the leases are in Redis already. */
async function holding(leaseMs: string, key = '', name = ''): Promise<void> {
  const { createLockClient } = await import('holdfast');
  const locks = createLockClient({ redis, watchdogTimeoutMs: Number(leaseMs) });
  const hold = await locks.getLock(name).tryAcquire();
  const script = await new OneScript(redis, key, Number(leaseMs)).tryLock();
  process.send?.(script && hold !== null);
}

/** Its clock is two minutes ahead of everybody's. */
async function wrongClock(timestamp = '', script = '', name = ''): Promise<void> {
  const { createLockClient } = await import('holdfast');
  const { now } = Date;
  Date.now = () => now() + 2 * MINUTE_MS;
  process.send?.({
    timestamp: await new ClientTimestamp(redis, timestamp, MINUTE_MS).tryLock(),
    script: await new OneScript(redis, script, MINUTE_MS).tryLock(),
    holdfast: await createLockClient({ redis }).getLock(name).tryLock(),
  });
}

if (role === 'between two commands') await betweenTwoCommands(names[0]);
else if (role === 'holding') await holding(names[0] ?? '', names[1], names[2]);
else if (role === 'wrong clock') await wrongClock(names[0], names[1], names[2]);
else throw new Error(`no such role: ${role}`);
