// node stopped.mjs LIBRARY SERVER REDIS-URL BLOCK [stopped]: a holder is stopped between its last step and its COMMIT until its lease is over and the next
// one waits for it in the database; then it goes on. Both add 10. Prints what became of each: `done`, or the code of the error.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLockClient } from './holdfast.mjs';

const [library, serverText, redis, block, role] = process.argv.slice(2);
const server = JSON.parse(serverText);
const { open } = await import(`./${library.toLowerCase()}.mjs`);
const { scope, close } = await open(server);
const client = createLockClient({ redis, watchdogTimeoutMs: 1_500 });
const lock = client.getFencedLock('account:7');

/** The lock of the block; what a hold is asked last stops the process. */
const stopping = {
  name: lock.name,
  withLock: (work) =>
    lock.withLock((hold) => {
      const assertHeld = () => {
        hold.assertHeld();
        process.stdout.write('stopped\n');
        process.kill(process.pid, 'SIGSTOP');
      };
      return work({ token: hold.token, assertHeld });
    }),
};

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
const add = new AsyncFunction(...Object.keys(scope), 'lock', 'id', 'amount', block);
const codeOf = (error) => error.code ?? error.cause?.code ?? error.message;
const addUnder = (given) =>
  add(...Object.values(scope), given, 7, 10).then(
    () => 'done',
    (error) => codeOf(error),
  );

/** Somebody waits for a row. */
async function isWaiting() {
  if (server.socketPath !== undefined) {
    const { default: mysql } = await import('mysql2/promise');
    const connection = await mysql.createConnection(server);
    const [rows] = await connection.query("SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'");
    await connection.end();
    return rows.length > 0;
  }
  const { default: pg } = await import('pg');
  const connection = new pg.Client(server);
  await connection.connect();
  const asked = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND state = 'active'";
  const { rowCount } = await connection.query(asked);
  await connection.end();
  return rowCount > 0;
}

async function tell() {
  const stopped = spawn(process.execPath, [...process.argv.slice(1), 'stopped'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  stopped.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  const ended = once(stopped, 'close');
  try {
    while (!said.includes('stopped\n')) {
      if (stopped.exitCode !== null) throw new Error('the holder that is to be stopped has ended');
      await sleep(20);
    }
    const next = addUnder(lock);
    let nextIsDone = false;
    void next.then(() => (nextIsDone = true));
    // More often than ten times a second InnoDB tells the same again.
    while (!nextIsDone && !(await isWaiting())) await sleep(200);
    stopped.kill('SIGCONT');
    process.stdout.write(`${JSON.stringify({ next: await next, stopped: (await ended, said.split('\n')[1]) })}\n`);
  } finally {
    stopped.kill('SIGKILL');
  }
}

try {
  if (role === 'stopped') process.stdout.write(`${await addUnder(stopping)}\n`);
  else await tell();
} finally {
  await client.close();
  await close();
}
