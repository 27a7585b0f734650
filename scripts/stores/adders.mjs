// node adders.mjs LIBRARY SERVER REDIS-URL BLOCK: two clients add to one balance at once, by the block of the page; then one whose lock is lost in the middle.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import pg from 'pg';
import { createLockClient } from './holdfast.mjs';

const [library, serverText, redis, block] = process.argv.slice(2);
const server = JSON.parse(serverText);
const { open } = await import(`./${library.toLowerCase()}.mjs`);
const { scope, close } = await open(server);

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
const add = new AsyncFunction(...Object.keys(scope), 'lock', 'id', 'amount', block);
const addUnder = (lock, amount) => add(...Object.values(scope), lock, 7, amount);

const clients = [1, 2].map(() => createLockClient({ redis, watchdogTimeoutMs: 1_500 }));
const [mine, theirs] = clients.map((client) => client.getFencedLock('account:7'));
/** Another connection has the row, so that the change of the block waits; meanwhile its lock is lost. */
const blocker = new pg.Client(server);
const isWaiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND state = 'active'";
const losing = {
  withLock: (work) =>
    mine.withLock(async (hold) => {
      await blocker.query('BEGIN');
      await blocker.query('SELECT * FROM account WHERE id = 7 FOR UPDATE');
      const loseAndLetGo = async () => {
        // In a transaction it would see the activities of its first look for ever.
        while ((await blocker.query(isWaiting)).rowCount === 0) await blocker.query('SELECT pg_stat_clear_snapshot()');
        const lost = once(hold.signal, 'abort');
        await theirs.forceUnlock();
        await lost;
        await blocker.query('COMMIT');
      };
      // Together: the block may reject before the reply to COMMIT is here.
      await Promise.all([work(hold), loseAndLetGo()]);
    }),
};

try {
  await blocker.connect();
  await Promise.all(Array.from({ length: 40 }, (_, call) => addUnder(call % 2 === 0 ? mine : theirs, 1)));
  await assert.rejects(addUnder(losing, 1_000), { code: 'LOCK_LOST' });
} finally {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all([close(), blocker.end()]);
}
