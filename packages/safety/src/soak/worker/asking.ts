/** How each kind of lock is asked for, and what its holder has. */
import type { LockClient, RPermitExpirableSemaphore } from 'holdfast';
import { heldBy } from '../../worker/leading.js';
import { companionOf, kindOf, lockName } from '../lock-names.js';

/** What a turn has: a hold, a leadership, the id of a permit. */
export interface Held {
  readonly state: string;
  readonly token?: number;
  release(): Promise<void>;
}

/** Semaphores go by themselves some time after the run, should it not end as it should. */
const POOL_TTL_MS = 6 * 3_600_000;

/** Waits for the lock of this number, by its kind. */
export async function take(client: LockClient, lock: number, signal: AbortSignal): Promise<Held> {
  const name = lockName(lock);
  switch (kindOf(lock)) {
    case 'plain':
      return client.getLock(name).acquire({ signal });
    case 'fenced':
      return client.getFencedLock(name).acquire({ signal });
    case 'fair':
      return client.getFairLock(name).acquire({ signal });
    case 'written':
      return client.getReadWriteLock(name).writeLock().acquire({ signal });
    case 'multi':
      return client.getMultiLock([name, companionOf(lock)]).acquire({ signal });
    case 'led':
      return heldBy(await client.election(name).campaign({ signal }));
    case 'permit': {
      const semaphore = client.getSemaphore(name);
      await semaphore.trySetPermits(1, POOL_TTL_MS);
      return semaphore.acquire(1, { signal });
    }
    case 'id': {
      const semaphore = client.getPermitExpirableSemaphore(name);
      await semaphore.trySetPermits(1, POOL_TTL_MS);
      return issued(semaphore, await semaphore.acquire('never', { signal }));
    }
  }
}

/** A permit without end: it is had until it is given back. */
const issued = (semaphore: RPermitExpirableSemaphore, id: string): Held => ({
  state: 'held',
  release: () => semaphore.release(id),
});
