import { describe, expect, it } from '@jest/globals';
import { waitUntil, WaitUntilTimeoutError } from '@holdfast/testkit';

describe('waitUntil', () => {
  it('resolves with the first truthy value', async () => {
    const values = [0, null, 'ready', 'later'];
    expect(await waitUntil(() => values.shift(), { what: 'a value', everyMs: 1 })).toBe('ready');
    expect(values).toEqual(['later']);
  });

  it('awaits an asynchronous condition', async () => {
    let checks = 0;
    expect(await waitUntil(async () => ++checks === 3, { what: 'three checks', everyMs: 1 })).toBe(true);
  });

  it('names what it waited for and the last value', async () => {
    const error: unknown = await waitUntil(() => 0, { what: 'the queue to grow', timeoutMs: 10 }).catch((e) => e);
    expect(error).toBeInstanceOf(WaitUntilTimeoutError);
    expect(String(error)).toMatch(/10 ms for the queue to grow; the last value was 0/);
  });

  it('passes on at once what the condition throws', async () => {
    const broken = new Error('broken');
    const check = (): boolean => {
      throw broken;
    };
    await expect(waitUntil(check, { what: 'nothing' })).rejects.toBe(broken);
  });

  it('does not wait for a condition that never settles', async () => {
    const never = new Promise<boolean>(() => undefined);
    await expect(waitUntil(() => never, { what: 'an answer', timeoutMs: 20 })).rejects.toThrow(
      /an answer.*not settled/,
    );
  });
});
