import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type DrivenTime, driveTime, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Hold, LockClient, RLock } from 'holdfast';
import { freshName, openClient } from '../../support/clients.js';
import { failureOf } from '../../support/outcomes.js';

const kit = useRedis();
const LEASE_MS = 20_000;

interface Ground {
  readonly time: DrivenTime;
  readonly client: LockClient;
  readonly lock: RLock;
  /** Whose reading finds it, where it is a reading. */
  readonly read: Hold;
}

/** Ways to lose a lock, each found by somebody else. */
const losses = {
  forced: ({ lock }: Ground) => lock.forceUnlock(),
  expired: ({ time, read }: Ground) => {
    time.jump(LEASE_MS);
    return read.state;
  },
  'found by a call': async ({ time, lock }: Ground) => {
    time.jump(LEASE_MS);
    if (await lock.tryLock()) await lock.unlock();
  },
  closed: ({ client }: Ground) => client.close(),
} as const;

const plans = fc.record({
  depth: fc.integer({ min: 1, max: 4 }),
  loss: fc.constantFrom(...(Object.keys(losses) as (keyof typeof losses)[])),
  reader: fc.nat({ max: 3 }),
  /** Who listens, in which order: 0 to 3 the signals, 4 the event, 5 the channel. */
  listeners: fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1 }),
  /** What a listener looks at first. */
  backwards: fc.boolean(),
});

function refuses(hold: Hold): boolean {
  try {
    hold.assertHeld();
    return false;
  } catch {
    return true;
  }
}

async function nested(lock: RLock, depth: number): Promise<Hold[]> {
  const holds: Hold[] = [];
  for (let level = 0; level < depth; level++) {
    const take = () => lock.acquire({ leaseMs: LEASE_MS });
    holds.push(await (holds.at(-1)?.run(take) ?? take()));
  }
  return holds;
}

describe('in whatever listener, in whatever order', () => {
  it('every hold of a lost lock says lost', async () => {
    const time = driveTime(kit);
    await fc.assert(
      fc.asyncProperty(plans, async ({ depth, loss, reader, listeners, backwards }) => {
        const client = openClient(kit);
        const lock = client.getLock(freshName());
        const holds = await nested(lock, depth);
        const seen: string[] = [];
        const look = () => {
          const order = backwards ? holds.toReversed() : holds;
          for (const hold of order)
            seen.push(`${hold.state} ${refuses(hold)} ${hold.remainingMs()} ${hold.signal.aborted}`);
        };
        for (const listener of listeners) {
          if (listener < 4) holds[listener % depth]?.signal.addEventListener('abort', look);
          else if (listener === 4) client.on('lost', look);
          else subscribe('holdfast:lost', look);
        }
        await losses[loss]({ time, client, lock, read: holds[reader % depth] as Hold });
        unsubscribe('holdfast:lost', look);
        expect(seen.length).toBeGreaterThan(0);
        expect(new Set(seen)).toEqual(new Set(['lost true 0 true']));
        for (const hold of holds) await failureOf(hold.release());
        await client.close();
      }),
      { numRuns: 40 },
    );
  });
});
