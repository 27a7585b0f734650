// The fencing demo; see README.md. A holder is stopped over its lease; the next one books 50; then the first one writes what it had worked out.
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createLockClient } from 'holdfast';
import { Redis } from 'ioredis';

const redis = new Redis(process.env['REDIS_URL'] ?? '');
const locks = createLockClient({ redis });
const run = randomUUID().slice(0, 8);

try {
  const without = await act('unguarded');
  const guarded = await act('guarded');
  if (without !== 1_100 || guarded !== 1_050) process.exitCode = 1;
} finally {
  await locks.close();
  redis.disconnect();
}

async function act(way: 'guarded' | 'unguarded'): Promise<number> {
  const [name, key] = [`fencing:${run}:${way}`, `fencing:${run}:account:${way}`];
  await redis.hset(key, 'balance', 1_000);
  say(`\n${way}: the account has 1,000`);
  const holder = fork(new URL('holder.ts', import.meta.url), [name, key, way]);
  try {
    const { token } = await heard<{ token: number }>(holder);
    say(`  holder 1 (token ${token}) checks that it holds the lock, wants to book 100, and is stopped`);
    await locks.getFencedLock(name).withLock(async (next) => {
      const balance = Number(await redis.hget(key, 'balance'));
      if (way === 'guarded') await next.guard.hset(key, { balance: balance + 50 });
      else await redis.hset(key, 'balance', balance + 50);
      say(`  holder 2 (token ${next.token}) gets the lock when the lease is over, and books 50`);
    });
    const last = heard<{ said: string }>(holder);
    holder.kill('SIGCONT');
    say(`  holder 1 goes on, and its write is: ${(await last).said}`);
    const balance = Number(await redis.hget(key, 'balance'));
    say(`  the account has ${balance.toLocaleString('en')}${way === 'guarded' ? '' : ': the 50 are lost'}`);
    return balance;
  } finally {
    holder.kill('SIGKILL');
    await redis.del(key, `redisson_lock_token:{${name}}`);
  }
}

async function heard<T>(holder: ChildProcess): Promise<T> {
  const [message] = await Promise.race([
    once(holder, 'message'),
    once(holder, 'exit').then(() => Promise.reject(new Error('holder 1 has ended'))),
  ]);
  return message as T;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
