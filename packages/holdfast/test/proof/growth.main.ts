// npm run growth -- [cycles]: what very many lock cycles leave behind, and what held locks and waiting calls cost; see docs/growth.md.
// A process of its own: a test runner's heap moves by megabytes. Exit code 1 when something has grown.
import { createLockClient, type LockClient } from 'holdfast';
import { Redis } from 'ioredis';
import { type Footprint, footprint, PendingTimers } from './footprint.js';
import { bytesPerHold, bytesPerWaiter, cycles } from './growth.js';

const redis = process.env['REDIS_URL'];
if (redis === undefined) throw new Error('REDIS_URL is not set: use npm run growth');

const total = Number(process.argv[2] ?? 1_000_000);
const held = Math.min(10_000, total / 100);
const waiters = 1_000;

/** One reference kept for each of 75,000 cycles is 600,000 bytes. */
const FLAT_BYTES = 500_000;
/** What V8 compiles, and forgets, moves the heap by as much. More use takes that away again, and makes a leak larger. */
const TRIES = 4;
/** One for each of two clients' schedules, as far as something is due, and what ioredis has. */
const MOST_TIMERS = 6;

const say = (line: string) => process.stdout.write(`${line}\n`);
const grown: string[] = [];
const timers = new PendingTimers();
const admin = new Redis(redis);

async function report(moment: string): Promise<Footprint> {
  const now = await footprint(admin, timers);
  const { heapBytes, timers: pending, subscriptions, connections, keys } = now;
  const mebibytes = (heapBytes / 2 ** 20).toFixed(2);
  say(`| ${moment} | ${mebibytes} | ${pending} | ${subscriptions} | ${connections} | ${keys} |`);
  return now;
}

function expectFlat(before: Footprint, after: Footprint): void {
  if (after.timers > MOST_TIMERS) grown.push(`${after.timers} timers`);
  if (after.subscriptions > before.subscriptions) grown.push(`${after.subscriptions} subscriptions`);
  if (after.connections > before.connections) grown.push(`${after.connections} connections`);
  if (after.keys > 0) grown.push(`${after.keys} keys`);
}

async function expectFlatHeap(use: () => Promise<void>, bytesBefore: number): Promise<void> {
  for (let left = TRIES; left > 0; left--) {
    const { heapBytes } = await report('at last');
    const bytes = heapBytes - bytesBefore;
    if (bytes <= FLAT_BYTES) return;
    if (left === 1) grown.push(`the heap by ${bytes} bytes`);
    else await use();
  }
}

const reporting = (moment: string) => async () => {
  await report(moment);
};

async function measure(client: LockClient, holder: LockClient): Promise<string[]> {
  const oneLock = { count: waiters, nameOf: () => 'waited-for' };
  const ownLocks = { count: waiters, nameOf: (waiter: number) => `waited-for-${waiter}` };
  let before: Footprint | undefined;
  const use = async (count: number): Promise<void> => {
    await cycles(client, count);
    // So that what V8 has compiled and what the maps have room for is alike at each measurement.
    await bytesPerHold(client, held);
    await bytesPerWaiter({ client, holder }, oneLock);
  };
  for (let part = 1; part <= 4; part++) {
    await use(total / 4);
    const now = await report(`after ${(part * total) / 4} cycles`);
    before ??= now;
    expectFlat(before, now);
  }
  await expectFlatHeap(() => use(total / 10), before?.heapBytes ?? 0);
  const perHold = await bytesPerHold(client, held, reporting(`${held} locks held`));
  const perWaiter = await bytesPerWaiter({ client, holder }, oneLock, reporting(`${waiters} wait for one lock`));
  const perLock = await bytesPerWaiter({ client, holder }, ownLocks, reporting(`${waiters} wait for as many locks`));
  await report('all over');
  return [
    `${Math.round(perHold)} bytes for each held lock`,
    `${Math.round(perWaiter)} bytes for each call that waits for one lock`,
    `${Math.round(perLock)} bytes for each call that waits for a lock of its own`,
  ];
}

const startedAt = performance.now();
say('| moment | heap, MiB | timers | subscriptions | connections | keys |\n|---|---|---|---|---|---|');
const first = await report('before');
const client = createLockClient({ redis });
const holder = createLockClient({ redis });
const costs = await measure(client, holder);
await client.close();
await holder.close();
const last = await report('closed');
if (last.timers + last.subscriptions > 0 || last.connections > first.connections)
  grown.push('something is open after close()');
say(`\n${costs.join('\n')}`);
say(`${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
for (const what of grown) say(`GROWN: ${what}`);
process.exitCode = grown.length === 0 ? 0 : 1;
admin.disconnect();
timers.restore();
