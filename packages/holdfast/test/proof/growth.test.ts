import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { growthPerPart } from './growth-verdict.js';

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

describe('the growth of samples', () => {
  it('is nothing when they move up and down, and after an early or a late step', () => {
    expect(growthPerPart([5, 7, 5, 6, 5, 7, 5, 6, 5])).toBeCloseTo(0);
    expect(growthPerPart([5, 5, 500, 500, 500, 500, 500, 500, 500])).toBe(0);
    expect(growthPerPart([5, 5, 5, 5, 5, 5, 5, 500, 500])).toBe(0);
  });

  it('is what each part adds, through noise far larger than that', () => {
    expect(growthPerPart([0, 10, 20, 30])).toBe(10);
    expect(growthPerPart([0, 110, 20, 30, 140, 50, -40, 70, 80])).toBeCloseTo(10);
  });
});
