// What must hold in whatever runtime runs this file: `npm run runtimes` does, in Node, Bun and Deno, with the packed package beside it. The second
// process is always one of Node. Prints how many properties hold, or the first that does not.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createLockClient } from 'holdfast';
import Redlock from 'holdfast/redlock';
import { createTestClient } from 'holdfast/testing';
import { Redis } from 'ioredis';

const { REDIS_URL: redis, NODE: node = process.execPath } = process.env;
/** Long enough for a machine that stands still for a second or two; what shall be slow when it goes wrong is asked again late. */
const settings = { redis, watchdogTimeoutMs: 3_000, claimLeaseMs: 20_000, reaskMs: 12_000 };

/** The second process: tells when it is ready, does as it is told, and is killed or ends by itself. */
async function peer(order, name) {
  // It ends with who started it.
  process.stdin.resume().once('end', () => process.exit());
  const lock = client.getLock(name);
  await client.connect();
  if (order === 'hold') await lock.acquire();
  process.stdout.write('ready\n');
  if (order === 'hold') return;
  await count(lock);
  process.exit();
}

/** Adds to a number as only one at a time may. */
async function count(lock) {
  const store = new Redis(redis);
  for (let round = 0; round < 50; round++)
    await lock.withLock(async () => {
      const before = Number(await store.get(`${lock.name}:count`));
      await store.set(`${lock.name}:count`, before + 1, 'PX', 60_000);
    });
  const counted = Number(await store.get(`${lock.name}:count`));
  store.disconnect();
  return counted;
}

async function startPeer(order, name) {
  const child = spawn(node, [fileURLToPath(import.meta.url), order, name], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return { child, ended: once(child, 'exit') };
}

const client = createLockClient(settings);
const other = createLockClient(settings);
const freshLock = () => client.getLock(`runtimes:${randomUUID()}`);
const theSame = ({ name }) => other.getLock(name);
const failure = (promise) =>
  promise.then(
    () => assert.fail('it did not fail'),
    (error) => error,
  );

/** Ways from a section to the code that locks again. */
const ways = {
  await: () => null,
  'a timer': () => sleep(1),
  'the next turn': () => nextTurn(),
  setTimeout: (go) => setTimeout(() => go(), 1),
  'a microtask': (go) => queueMicrotask(go),
  nextTick: (go) => process.nextTick(go),
  'a promise': (go) => Promise.resolve().then(go),
  'an event': (go) => new EventEmitter().once('go', go).emit('go'),
  once: async () => {
    const emitter = new EventEmitter();
    const heard = once(emitter, 'go');
    client.exit(() => setTimeout(() => emitter.emit('go'), 1));
    await heard;
  },
  fetch: async () => (await fetch('data:,x')).text(),
  ioredis: (go) => store.get('x', go),
  'a promise that is resolved outside': () => new Promise((resolve) => client.exit(() => setTimeout(resolve, 1))),
};
const store = new Redis(redis);
/** Answers nothing. */
const server = createServer(() => undefined).listen(0, '127.0.0.1');
await once(server, 'listening');
const silent = `http://127.0.0.1:${server.address().port}`;

const properties = {
  'a section re-enters through whatever lies between': () => {
    const lock = freshLock();
    return lock.withLock(async () => {
      for (const [way, go] of Object.entries(ways)) {
        const again = () => client.getLock(lock.name).tryWithLock({}, () => way);
        const had = await (go.length === 0
          ? Promise.resolve(go()).then(again)
          : new Promise((resolve, reject) => go(() => again().then(resolve, reject))));
        assert.deepEqual(had, { ran: true, value: way });
      }
    });
  },
  'branches exclude each other': async () => {
    const lock = freshLock();
    let inside = 0;
    const branch = () =>
      lock.withLock(async () => {
        assert.equal(++inside, 1);
        await sleep(2);
        inside--;
      });
    await Promise.all([branch(), branch(), branch()]);
    await lock.withLock(() => Promise.all([branch(), branch()]));
  },
  'lock and unlock count in client.run': () =>
    client.run(async () => {
      const lock = freshLock();
      await lock.lock();
      assert.equal(await lock.tryLock(0), true);
      assert.equal(await lock.getHoldCount(), 2);
      await lock.unlock();
      await lock.unlock();
      assert.equal((await failure(lock.unlock())).code, 'LOCK_NOT_HELD');
    }),
  'two processes pass a lock on by message, and no count is lost': async () => {
    const lock = freshLock();
    const before = client.stats().handoffs.granted;
    const { ended } = await startPeer('count', lock.name);
    await count(lock);
    assert.deepEqual(await ended, [0, null]);
    assert.equal(Number(await store.get(`${lock.name}:count`)), 100);
    assert.ok(client.stats().handoffs.granted > before, 'none came by message');
    assert.ok(client.stats().waits.maxMs < 10_000, 'a message was missed');
  },
  'a killed process loses its lock, and who is next is told': async () => {
    const lock = freshLock();
    const { child, ended } = await startPeer('hold', lock.name);
    assert.equal(await lock.tryLock(), false);
    child.kill('SIGKILL');
    await ended;
    const hold = await lock.acquire({ waitMs: 20_000 });
    assert.equal(hold.inherited?.reason, 'expired');
    await hold.release();
  },
  'a lease is renewed for as long as it is needed': () => {
    const lock = freshLock();
    return lock.withLock(async (hold) => {
      const renewed = () => client.stats().renewals.renewed;
      const enough = renewed() + 4;
      while (renewed() < enough) {
        await sleep(100);
        assert.equal(await theSame(lock).tryLock(), false);
      }
      assert.equal(hold.state, 'held');
    });
  },
  'a loss is told to the signal, the event and the call, in the context of the call': async () => {
    const storage = new AsyncLocalStorage();
    const lock = freshLock();
    const told = [];
    const listen = ({ name }) => told.push(name);
    const broken = () => {
      throw new Error('this listener throws');
    };
    const warned = once(process, 'warning');
    client.on('lost', broken);
    client.on('lost', listen);
    const section = storage.run('mine', () =>
      lock.withLock(async ({ signal }) => {
        signal.addEventListener('abort', () => told.push(storage.getStore()));
        const stopped = failure(sleep(5_000, undefined, { signal }));
        const fetched = failure(fetch(silent, { signal }));
        await storage.run('theirs', () => theSame(lock).forceUnlock());
        await Promise.all([stopped, fetched]);
        signal.throwIfAborted();
      }),
    );
    const { code, reason } = await failure(section);
    assert.deepEqual([code, reason], ['LOCK_LOST', 'force-unlocked']);
    assert.deepEqual(new Set(told), new Set(['mine', lock.name]));
    assert.match((await warned)[0].message, /this listener throws/);
    client.off('lost', broken);
    client.off('lost', listen);
  },
  'a loss is known at once after a stalled event loop': async () => {
    const { signal, release } = await holdFor(1_000);
    const end = performance.now() + 1_050;
    while (performance.now() < end);
    assert.equal(signal.aborted, true);
    assert.equal((await failure(release())).code, 'LOCK_LOST');
  },
  'a loss is told in time while Redis is silent': async () => {
    const hold = await freshLock().acquire();
    await store.call('CLIENT', 'PAUSE', '6000', 'ALL');
    const answered = store.ping().then(() => 'Redis has answered');
    const told = once(hold.signal, 'abort').then(() => 'the loss was told');
    assert.equal(await Promise.race([told, answered]), 'the loss was told');
    assert.equal(hold.signal.reason.reason, 'unreachable');
    await answered;
    await failure(hold.release());
    await freshLock().withLock(() => undefined);
  },
  'errors and warnings show the caller': async () => {
    const lock = freshLock();
    const hold = await theSame(lock).acquire();
    const calls = {
      acquire: () => lock.acquire({ waitMs: 20 }),
      withLock: () => lock.withLock({ waitMs: 20 }, () => undefined),
      unlock: () => lock.unlock(),
    };
    for (const [what, call] of Object.entries(calls)) {
      async function theCaller() {
        await call();
      }
      assert.match((await failure(theCaller())).stack, /^Lock\w+Error: .*\n(.*\n)?.*smoke\.mjs/, what);
    }
    await hold.release();
    const leaks = [];
    const listen = ({ site }) => leaks.push(site);
    client.on('leak', listen);
    for (const leave of [(left) => left.lock(), (left) => left.tryLock()])
      await client.run(async function theLeaver() {
        await leave(freshLock());
      });
    for (const site of leaks) assert.match(site, /^Error.*\n.*smoke\.mjs/);
    assert.equal(leaks.length, 2);
    client.off('leak', listen);
    const watchful = createLockClient({ ...settings, heldWarnMs: 50 });
    const sections = [
      (name, fn) => watchful.share(name, { ttlMs: 10, fn }),
      (name, fn) => watchful.oncePer(name, 100, fn),
      (name, fn) => watchful.election(name).campaign(fn),
    ];
    for (const take of sections) {
      const told = new Promise((resolve) => watchful.once('held-long', ({ site }) => resolve(site)));
      async function theTaker() {
        await take(freshLock().name, () => told);
      }
      await theTaker();
      assert.match(await told, /^Error.*\n.*smoke\.mjs/);
    }
    await watchful.close();
  },
  'calls and sections are traced, and a section runs in what is bound to its start': async () => {
    const storage = new AsyncLocalStorage();
    const told = [];
    const { start } = tracingChannel('holdfast:section');
    const names = ['tracing:holdfast:section:asyncEnd', 'holdfast:acquired'];
    const tell = ({ name }) => told.push(name);
    start.bindStore(storage, () => 'span');
    for (const heard of names) subscribe(heard, tell);
    const lock = freshLock();
    assert.equal(await lock.withLock(() => sleep(1).then(() => storage.getStore())), 'span');
    assert.deepEqual(told, [lock.name, lock.name]);
    start.unbindStore(storage);
    for (const heard of names) unsubscribe(heard, tell);
  },
  'a hold is given back at the end of its block': async () => {
    const lock = freshLock();
    await (await lock.acquire())[Symbol.asyncDispose]();
    assert.equal(await lock.isLocked(), false);
  },
  'durations are counted': () => {
    const { waits, renewals } = client.stats();
    assert.ok(waits.count > 50 && waits.p50Ms > 0 && waits.maxMs >= waits.p99Ms);
    assert.ok(renewals.renewed >= 4);
  },
  'holdfast/testing drives time': async () => {
    const locks = createTestClient();
    const hold = await locks.getLock('driven').acquire({ leaseMs: 5_000 });
    await locks.advance(5_000);
    assert.equal(hold.state, 'lost');
    const watched = await locks.getLock('watched').acquire();
    await locks.advance(3_600_000);
    assert.equal(watched.state, 'held');
    await locks.close();
  },
  'holdfast/redlock locks and renews': async () => {
    const redlock = new Redlock([store]);
    const name = freshLock().name;
    const value = await redlock.using([name], 3_000, { automaticExtensionThreshold: 2_500 }, async ({ aborted }) => {
      await sleep(3_500);
      return aborted;
    });
    assert.equal(value, false);
    await redlock.quit();
  },
  'a closed client refuses who waits': async () => {
    const lock = freshLock();
    const hold = await theSame(lock).acquire();
    const waiting = failure(lock.acquire());
    await nextTurn();
    await client.close();
    assert.equal((await waiting).code, 'LOCK_CLIENT_CLOSED');
    await hold.release();
    await other.close();
  },
};

async function holdFor(leaseMs) {
  const hold = await freshLock().acquire({ leaseMs });
  return { signal: hold.signal, release: () => hold.release() };
}

async function check() {
  process.on('unhandledRejection', (error) => {
    process.stderr.write(`unhandled: ${error.stack}\n`);
    process.exit(1);
  });
  for (const [property, holds] of Object.entries(properties)) {
    const limit = setTimeout(() => {
      process.stderr.write(`${property}: not within 40 s\n`);
      process.exit(1);
    }, 40_000);
    try {
      await holds();
    } catch (error) {
      process.stderr.write(`${property}: ${error.stack}\n`);
      process.exit(1);
    }
    clearTimeout(limit);
  }
  store.disconnect();
  server.close();
  server.closeAllConnections();
  // Nothing is left that keeps the process alive.
  setTimeout(() => process.exit(2), 3_000).unref();
  process.stdout.write(`${Object.keys(properties).length} properties hold\n`);
}

const [order, name] = process.argv.slice(2);
await (order === undefined ? check() : peer(order, name));
