import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleProgram } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';

const here = fileURLToPath(new URL('.', import.meta.url));

describe('a process', () => {
  it('exits although leases are held and a renewal is due', async () => {
    const program = await bundleProgram(join(here, 'hold-and-exit.ts'));
    const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 30_000, cwd: here });
    expect(stdout.trim()).toBe('held');
  }, 40_000);
});
