import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const here = fileURLToPath(new URL('.', import.meta.url));

describe('a process', () => {
  it('exits although leases are held and a renewal is due', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@holdfast/source', '--import', 'tsx', `${here}/hold-and-exit.ts`],
      { timeout: 30_000, cwd: here },
    );
    expect(stdout.trim()).toBe('held');
  }, 40_000);
});
