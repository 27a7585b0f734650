import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { stall } from '../support/losses.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();

/** The first to see that a lease is over may be a call, before any timer: nothing may hang on which of the two it is. */
describe('a lease that ends while the event loop stands still', () => {
  it('is found by the next call, whose own hold is re-entered, counted and given back', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    const lost = await lock.acquire({ leaseMs: 100 });
    stall(200);
    const nested = await lock.withLock(async () => {
      expect(await lock.getHoldCount()).toBe(1);
      return lock.tryWithLock({ waitMs: 500 }, () => 're-entered');
    });
    expect(nested).toEqual({ ran: true, value: 're-entered' });
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
    expect(await failureOf(lost.release())).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('is found by close(), which gives back what was acquired since', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    const lost = await lock.acquire({ leaseMs: 100 });
    stall(200);
    await lock.acquire();
    await client.close();
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
    expect(await failureOf(lost.release())).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('in the middle of a release leaves no lock to nobody: who waits gets it and can give it back', async () => {
    const lock = openClient(kit).getLock(freshName());
    const hold = await lock.acquire({ leaseMs: 300 });
    const waiting = lock.acquire();
    // Whoever listens there runs in the middle of the release.
    const dawdle = () => stall(400);
    subscribe('holdfast:released', dawdle);
    kit.cleanup(() => void unsubscribe('holdfast:released', dawdle));
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    unsubscribe('holdfast:released', dawdle);
    await (await waiting).release();
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
  });
});
