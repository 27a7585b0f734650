// A holder that is stopped for longer than its lease, with a write on its lips. Started by main.ts: holder.ts <name> <key> <guarded | unguarded>
import { createLockClient, LockError } from 'holdfast';
import { Redis } from 'ioredis';

const [name = '', key = '', way = ''] = process.argv.slice(2);
const redis = new Redis(process.env['REDIS_URL'] ?? '');
const locks = createLockClient({ redis });
const hold = await locks.getFencedLock(name).acquire({ leaseMs: 1_000 });
const balance = Number(await redis.hget(key, 'balance'));

// The check that every careful program makes. It is true.
hold.assertHeld();
const write = way === 'guarded' ? hold.guard.hset(key, { balance: balance + 100 }) : later();
process.send?.({ token: hold.token });
// Here the machine goes to sleep, a virtual machine is moved, or a garbage collector takes its time.
process.kill(process.pid, 'SIGSTOP');

let said = 'written';
try {
  await write;
} catch (error) {
  said = error instanceof LockError ? `${error.code}: ${error.message}` : String(error);
}
process.send?.({ said });
await hold.release().catch(() => undefined);
await locks.close();
redis.disconnect();
process.disconnect();

async function later(): Promise<void> {
  await new Promise(setImmediate);
  await redis.hset(key, 'balance', balance + 100);
}
