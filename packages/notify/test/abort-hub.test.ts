import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleProgram } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import { AbortHub, Wait } from '../src/index.js';

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('AbortHub', () => {
  it('hangs 50 waits on one signal through one listener', async () => {
    const aborts = new AbortHub();
    const controller = new AbortController();
    const waits = Array.from({ length: 50 }, () => new Wait<void>({ aborts, signal: controller.signal }));
    expect(listenersOf(controller.signal)).toBe(1);
    controller.abort(new Error('all of them'));
    const outcomes = await Promise.allSettled(waits.map((wait) => wait.promise));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(listenersOf(controller.signal)).toBe(0);
    expect(aborts.size).toBe(0);
  });

  it('removes the listener when the last wait leaves, and listens again for the next', () => {
    const aborts = new AbortHub();
    const { signal } = new AbortController();
    const first = aborts.subscribe(signal, () => {});
    const second = aborts.subscribe(signal, () => {});
    first();
    first();
    expect(listenersOf(signal)).toBe(1);
    second();
    expect([listenersOf(signal), aborts.size]).toEqual([0, 0]);
    aborts.subscribe(signal, () => {});
    second();
    expect([listenersOf(signal), aborts.size]).toEqual([1, 1]);
  });

  it('counts one function subscribed twice as two', () => {
    const aborts = new AbortHub();
    const controller = new AbortController();
    const onAbort = jest.fn();
    const leave = aborts.subscribe(controller.signal, onAbort);
    aborts.subscribe(controller.signal, onAbort);
    leave();
    controller.abort();
    expect(onAbort).toHaveBeenCalledTimes(1);
  });

  it('keeps the signals apart', () => {
    const aborts = new AbortHub();
    const controllers = [new AbortController(), new AbortController()] as const;
    const called: number[] = [];
    controllers.forEach(({ signal }, index) => aborts.subscribe(signal, () => called.push(index)));
    controllers[1].abort();
    expect(called).toEqual([1]);
    expect(aborts.size).toBe(1);
  });

  it('calls back at once for a signal that has aborted already', () => {
    const aborts = new AbortHub();
    const onAbort = jest.fn();
    aborts.subscribe(AbortSignal.abort(), onAbort)();
    expect(onAbort).toHaveBeenCalledTimes(1);
    expect(aborts.size).toBe(0);
  });

  it('calls the others when one throws, and reports what was thrown', () => {
    const warning = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const aborts = new AbortHub();
    const controller = new AbortController();
    const broken = new Error('broken');
    const calls: string[] = [];
    aborts.subscribe(controller.signal, () => {
      throw broken;
    });
    aborts.subscribe(controller.signal, () => calls.push('second'));
    controller.abort();
    expect(calls).toEqual(['second']);
    expect(warning.mock.calls).toEqual([[expect.stringContaining('broken'), 'HoldfastWarning']]);
    warning.mockRestore();
  });

  it('prints one warning, of the callback that threw, in a process where 50 waits hang on one signal', async () => {
    // A process of its own: process warnings do not reach the process object of a jest test.
    const program = fileURLToPath(new URL('./support/many-waits.ts', import.meta.url));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [await bundleProgram(program)]);
    expect(stdout).toBe('50 aborted\n');
    expect(stderr.match(/\w*Warning: .*/g)).toEqual(['HoldfastWarning: Error: broken callback']);
  });

  it('does not call a wait that left because of another one', () => {
    const aborts = new AbortHub();
    const controller = new AbortController();
    const onAbort = jest.fn();
    const leaves: (() => void)[] = [];
    aborts.subscribe(controller.signal, () => leaves.forEach((leave) => leave()));
    leaves.push(aborts.subscribe(controller.signal, onAbort));
    controller.abort();
    expect(onAbort).not.toHaveBeenCalled();
  });
});
