/** What docs/runbook.md tells somebody to do at night, done. */
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();

describe('docs/runbook.md: a lock that stays taken', () => {
  it('rests in a period that a job has used, and runs the job again in it when it is unlocked', async () => {
    const [one, two] = [openClient(kit), openClient(kit)];
    const name = freshName();
    let runs = 0;
    const bill = () => two.oncePer(name, 600_000, () => ++runs);
    await bill();
    expect((await one.inspect(name)).owner).toMatchObject({ resting: true, holdCount: 1 });
    expect(await bill()).toEqual({ ran: false });
    await one.getLock(name).forceUnlock();
    expect(await bill()).toEqual({ ran: true, value: 2 });
  });
});

describe('docs/runbook.md: permits that stay taken', () => {
  it('come back by their ids, of both kinds, and nobody else loses any', async () => {
    const [dead, other, operator] = [openClient(kit), openClient(kit), openClient(kit)];
    const name = freshName();
    const seats = operator.getPermitExpirableSemaphore(name, { permits: 8 });
    await dead.getPermitExpirableSemaphore(name, { permits: 8 }).acquire();
    await dead.getSemaphore(name).acquire(2, { leaseMs: 'never' });
    const leased = await dead.getSemaphore(name).acquire(1);
    const others = await other.getPermitExpirableSemaphore(name).acquire();
    const { holders } = await seats.inspect();
    expect(holders.map(({ remainingMs }) => remainingMs === 'never')).toEqual([true, true, false, true]);
    const ofTheDead = holders.filter(
      ({ id, remainingMs }) => remainingMs === 'never' && id.startsWith(`${dead.clientId}:`),
    );
    const freed: number[] = [];
    for (const { id } of ofTheDead) freed.push(await seats.tryRelease([id]));
    expect(freed).toEqual([1, 2]);
    expect(await seats.availablePermits()).toBe(6);
    await leased.release();
    await seats.release(others);
    await kit.admin.del(name);
  });
});
