/** Locks of all kinds under one name are one key. So each handle may take the lock from a holder of any kind, and that one is told. */
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();
/** Nobody renews or asks again while the test runs: whoever hears of a loss is told of it. */
const patient = { reaskMs: 200_000, claimLeaseMs: 300_000, watchdogTimeoutMs: 600_000 };

interface Forcible {
  acquire(): Promise<Hold>;
  forceUnlock(): Promise<boolean>;
}

const kinds = {
  plain: (client: LockClient, name: string) => client.getLock(name),
  owned: (client: LockClient, name: string) => client.getLock(name, { owner: 'me' }),
  fenced: (client: LockClient, name: string) => client.getFencedLock(name),
  fair: (client: LockClient, name: string) => client.getFairLock(name),
  spin: (client: LockClient, name: string) => client.getSpinLock(name),
  multi: (client: LockClient, name: string) => client.getMultiLock([name, `${name}:b`]),
  read: (client: LockClient, name: string) => client.getReadWriteLock(name).readLock(),
  write: (client: LockClient, name: string) => client.getReadWriteLock(name).writeLock(),
} satisfies Record<string, (client: LockClient, name: string) => Forcible>;
type Kind = keyof typeof kinds;

const all = Object.keys(kinds) as Kind[];
/** One side of a read-write lock is taken from those who have that side; who has the lock of another kind counts as a writer. */
const takes = (forcing: Kind, held: Kind): boolean =>
  forcing === 'read' ? held === 'read' : forcing !== 'write' || held !== 'read';
/** Who has a spin lock does not listen, and finds out when it renews. */
const listens = (held: Kind): boolean => held !== 'spin';

describe.each(all)('a lock that is held as %s', (held) => {
  it('and taken by a handle of any kind in the same process is lost when the call returns, and the release says so', async () => {
    const client = openClient(kit, patient);
    for (const forcing of all) {
      const name = freshName();
      const hold = await kinds[held](client, name).acquire();
      const taken = await kinds[forcing](client, name).forceUnlock();
      const expected = takes(forcing, held);
      expect([forcing, taken, hold.state]).toEqual([forcing, expected, expected ? 'lost' : 'held']);
      const error = expected ? await failureOf(hold.release()) : await hold.release();
      if (expected) expect(error).toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
    }
  });

  if (listens(held))
    it('and taken by a handle of any kind in another process is lost as soon as a message tells', async () => {
      const [client, other] = [openClient(kit, patient), openClient(kit, patient)];
      await client.connect();
      for (const forcing of all.filter((kind) => takes(kind, held))) {
        const name = freshName();
        const hold = await kinds[held](client, name).acquire();
        expect(await kinds[forcing](other, name).forceUnlock()).toBe(true);
        await waitUntil(() => hold.signal.aborted, { what: `the holder to hear of it, forced by ${forcing}` });
        expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST' });
      }
    });
});

describe('readers in several processes', () => {
  it('all hear of it when a handle of another kind takes their lock', async () => {
    const [one, two, other] = [openClient(kit, patient), openClient(kit, patient), openClient(kit, patient)];
    for (const client of [one, two]) await client.connect();
    const name = freshName();
    const holds = [await kinds.read(one, name).acquire(), await kinds.read(two, name).acquire()];
    expect(await other.getLock(name).forceUnlock()).toBe(true);
    await waitUntil(() => holds.every(({ signal }) => signal.aborted), { what: 'both to hear of it' });
    const next = await kinds.write(other, name).acquire();
    for (const hold of holds) expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST' });
    await next.release();
  });
});
