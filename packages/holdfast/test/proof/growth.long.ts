import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const growth = fileURLToPath(new URL('../../../../scripts/growth.mjs', import.meta.url));

it('100,000 cycles, 1,000 holds and 1,000 waiting calls leave heap, timers, subscriptions and keys where they were', async () => {
  // On a server of its own, whatever the other tests use: all keys are counted.
  const { REDIS_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [growth, '100000'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, said }).toEqual({ code: 0, said: expect.not.stringContaining('GROWN') });
}, 600_000);
