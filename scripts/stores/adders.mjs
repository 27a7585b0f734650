// node adders.mjs LIBRARY SOCKET-FOLDER REDIS-URL BLOCK: two clients add to one balance at once, by the block of the page; then one whose lock was lost.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createLockClient } from './holdfast.mjs';

const [library, host, redis, block] = process.argv.slice(2);
const { open } = await import(`./${library.toLowerCase()}.mjs`);
const { scope, close } = await open({ host, user: 'postgres', database: 'postgres' });

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
const add = new AsyncFunction(...Object.keys(scope), 'lock', 'id', 'amount', block);
const addUnder = (lock, amount) => add(...Object.values(scope), lock, 7, amount);

const clients = [1, 2].map(() => createLockClient({ redis, watchdogTimeoutMs: 1_500 }));
const [mine, theirs] = clients.map((client) => client.getLock('account:7'));
/** Its holds are lost before the work begins. */
const losing = {
  withLock: (work) =>
    mine.withLock(async (hold) => {
      const lost = once(hold.signal, 'abort');
      await theirs.forceUnlock();
      await lost;
      return work(hold);
    }),
};

try {
  await Promise.all(Array.from({ length: 40 }, (_, call) => addUnder(call % 2 === 0 ? mine : theirs, 1)));
  await assert.rejects(addUnder(losing, 1_000), { code: 'LOCK_LOST' });
} finally {
  await Promise.all(clients.map((client) => client.close()));
  await close();
}
