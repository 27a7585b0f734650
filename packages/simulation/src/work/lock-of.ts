import type { LockHandleOptions, RLock } from 'holdfast';
import type { Desk } from './desk.js';

/** The lock of a name, as the kind that this world has. */
export function lockOf({ client, kind }: Desk, name: string, options: LockHandleOptions = {}): RLock {
  switch (kind) {
    case 'plain':
      return client.getLock(name, options);
    case 'fenced':
      return client.getFencedLock(name, options);
    case 'fair':
      return client.getFairLock(name, options);
  }
}
