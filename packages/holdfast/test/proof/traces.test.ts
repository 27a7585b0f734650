/**
 * The real client walks through traces of the model (spec/queue.pml): every step is made to happen on a network where nothing moves by
 * itself, and after each the lock in Redis, the queue, what is on its way and who believes must be what the model says.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { startPrivateRedis, useRedis, WaitUntilTimeoutError, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { type Situation, TracedLock } from '../support/traced-lock.js';

const kit = useRedis(startPrivateRedis);
const folder = new URL('../../../../spec/traces/', import.meta.url);

interface Trace {
  readonly steps: readonly { readonly do: string; readonly who: number; readonly after: Situation }[];
}

const traces = readdirSync(folder).map((file) => {
  const { steps } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Trace;
  return { file, steps };
});

const equal = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

it.each(traces)('the client does what the model does: $file', async ({ steps }) => {
  const lock = await TracedLock.open(kit, steps[0]?.after.processes.length ?? 0);
  for (const [at, step] of steps.entries()) {
    await lock.take(step);
    try {
      await waitUntil(async () => equal(await lock.situation(), step.after), { what: step.do, timeoutMs: 4_000 });
    } catch (error) {
      if (!(error instanceof WaitUntilTimeoutError)) throw error;
      const story = steps.slice(0, at + 1).map(({ do: done, who }) => `${done} ${who}`);
      expect({ story, situation: await lock.situation() }).toEqual({ story, situation: step.after });
    }
  }
});
