import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nowMicros } from '../src/history/clock.js';
import { Recorder } from '../src/history/recorder.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-history-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

describe('a recorder', () => {
  it('numbers operations and stamps what happened between two looks at the clock', () => {
    const file = join(folder, 'a.jsonl');
    const recorder = new Recorder({ file, worker: 'a' });
    const before = nowMicros();
    const op = recorder.invoke({ type: 'invoke', f: 'force', lock: 'x' });
    recorder.record({ type: 'ok', f: 'force', lock: 'x', op });
    recorder.close();
    const [invoke, ok] = linesOf(file) as { at: number; op: number; worker: string }[];
    expect(invoke).toMatchObject({ type: 'invoke', op: 1, worker: 'a' });
    expect(ok).toMatchObject({ type: 'ok', op: 1, worker: 'a' });
    expect(invoke?.at).toBeGreaterThanOrEqual(before);
    expect(ok?.at).toBeGreaterThanOrEqual(invoke?.at ?? Infinity);
    expect(ok?.at).toBeLessThanOrEqual(nowMicros());
  });

  it('writes a full batch at once and drops what comes after its end', () => {
    const file = join(folder, 'b.jsonl');
    const recorder = new Recorder({ file, worker: 'b', batch: 2, batchMs: 1_000_000 });
    const fault = { type: 'event', f: 'fault', code: 'x', state: 'once' } as const;
    recorder.record(fault);
    expect(linesOf(file)).toHaveLength(0);
    recorder.record(fault);
    expect(linesOf(file)).toHaveLength(2);
    recorder.record(fault);
    recorder.close();
    recorder.record(fault);
    recorder.close();
    expect(linesOf(file)).toHaveLength(3);
  });
});

describe('the clock of histories', () => {
  it('is the same in every process of this machine', async () => {
    const before = nowMicros();
    const child = spawn(process.execPath, ['-e', 'process.stdout.write(String(process.hrtime.bigint() / 1000n))']);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(child, 'close');
    expect(Number(said)).toBeGreaterThan(before);
    expect(Number(said)).toBeLessThan(nowMicros());
  });
});
