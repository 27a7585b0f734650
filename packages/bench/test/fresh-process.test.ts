import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshProcess } from '../src/run/fresh-process.js';

const LIMIT_MS = 60_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function program(text: string): string {
  const file = join(folder, 'program.mjs');
  writeFileSync(file, text);
  return file;
}

describe('a process that is started for one measurement', () => {
  it('is told what to do, and answers', async () => {
    const echo = program('process.stdout.write(process.argv[2]);');
    expect(await freshProcess(echo, { name: 'it', count: 2 }, LIMIT_MS)).toEqual({ name: 'it', count: 2 });
  });

  it('says what went wrong in one line', async () => {
    const broken = freshProcess(program("throw new RangeError('nobody is here');"), {}, LIMIT_MS);
    await expect(broken).rejects.toThrow(/^RangeError: nobody is here$/);
  });

  it('is ended when it comes to no end', async () => {
    const endless = freshProcess(program('setInterval(() => undefined, 1_000);'), {}, 1_000);
    await expect(endless).rejects.toMatchObject({ name: 'StalledError' });
  });
});
