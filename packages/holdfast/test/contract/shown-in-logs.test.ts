/** What somebody sees who logs a hold or a handle. */
import { inspect } from 'node:util';
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis(startPrivateRedis);

describe('console.log shows', () => {
  it('of a hold which lock it is of, its id, as events have it, whether it is still held, and for how long', async () => {
    const client = openClient(kit);
    const lost: string[] = [];
    client.on('lost', ({ holdId }) => lost.push(holdId));
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    expect(inspect({ hold })).toMatch(
      /hold: \{\s+name: 'lock-\S+',\s+id: '\S+-\d+',\s+state: 'held',\s+remainingMs: \d+/,
    );
    await client.getLock(name).forceUnlock();
    await waitUntil(() => lost.length > 0, { what: 'it is told' });
    expect(inspect(hold)).toContain(`id: '${lost[0]}'`);
    expect(inspect(hold)).toMatch(/state: 'lost',\s+remainingMs: 0/);
  });

  it('of a hold of several locks the ids of all', async () => {
    const client = openClient(kit);
    const hold = await client.getMultiLock([freshName(), freshName()]).acquire();
    expect(inspect(hold)).toMatch(/id: '\S+-1 \+ \S+-2',\s+state: 'held'/);
    await hold.release();
    expect(inspect(hold)).toContain("state: 'released'");
  });

  it('of other holds what they have beside: a token, permits, whether they lead', async () => {
    const client = openClient(kit);
    const semaphore = freshName();
    kit.cleanup(() => kit.admin.del(semaphore));
    const fenced = await client.getFencedLock(freshName()).acquire();
    const permits = await client.getSemaphore(semaphore, { permits: 3 }).acquire(2);
    const leadership = await client.election(freshName()).campaign();
    expect(inspect(fenced)).toMatch(new RegExp(`state: 'held',[^]+token: ${fenced.token}`));
    expect(inspect(permits)).toMatch(/state: 'held',[^]+permits: 2/);
    expect(inspect(leadership)).toMatch(new RegExp(`token: ${leadership.token},\\s+leads: true`));
    await Promise.all([fenced.release(), permits.release(), leadership.resign()]);
    expect(inspect(leadership)).toContain('leads: false');
  });

  it('of a handle its name', () => {
    const client = openClient(kit);
    const name = freshName();
    const handles = [
      ...[client.getLock(name), client.getFencedLock(name), client.getFairLock(name), client.getSpinLock(name)],
      ...[client.getReadWriteLock(name), client.getSemaphore(name), client.getPermitExpirableSemaphore(name)],
      ...[client.getCountDownLatch(name), client.election(name), client.getMultiLock([name])],
    ];
    for (const handle of handles) expect(inspect(handle)).toContain(`name: '${name}'`);
  });
});
