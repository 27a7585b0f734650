// The election demo; see README.md. Three candidates; the leader is killed; the next one resigns; the last one leads.
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createLockClient } from 'holdfast';
import { Redis } from 'ioredis';

const redis = new Redis(process.env['REDIS_URL'] ?? '');
const locks = createLockClient({ redis });
const name = `election:${randomUUID().slice(0, 8)}`;
const candidates = new Map<string, ChildProcess>();
const terms: { id: string; token: number }[] = [];

try {
  for (const id of ['Ada', 'Grace', 'Edsger']) {
    const candidate = fork(new URL('candidate.ts', import.meta.url), [name, id]);
    candidates.set(id, candidate);
    candidate.on('message', ({ leads, token }: { leads: string; token: number }) =>
      say(`  ${leads} is in charge, and has the token ${token}`),
    );
  }
  say('Ada, Grace and Edsger want to be in charge');
  for await (const leader of locks.election(name).observe({ signal: AbortSignal.timeout(60_000) })) {
    if (leader === undefined) continue;
    const { id, token } = leader;
    terms.push({ id, token });
    say(`observed: ${id} leads, term ${token}`);
    if (terms.length === 3) break;
    if (terms.length === 1) say(`  ${id} is killed, and says nothing any more`);
    else say(`  ${id} is asked to resign`);
    if (terms.length === 1) candidates.get(id)?.kill('SIGKILL');
    else candidates.get(id)?.send('resign');
  }
} finally {
  for (const candidate of candidates.values()) candidate.kill('SIGKILL');
  await locks.close();
  await redis.del(name, `redisson_lock_token:{${name}}`, `holdfast_queue:{${name}}`, `holdfast_fresh:{${name}}`);
  redis.disconnect();
}
const inOrder = terms.every(({ token }, index) => index === 0 || token > (terms[index - 1]?.token ?? 0));
const each = new Set(terms.map(({ id }) => id)).size;
say(`${each} leaders, one after the other, with rising terms: ${inOrder}`);
if (each !== 3 || !inOrder) process.exitCode = 1;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
