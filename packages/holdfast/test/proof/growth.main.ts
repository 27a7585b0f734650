// npm run growth -- [cycles]: what very many lock cycles leave behind, and what held locks and waiting calls cost; see docs/growth.md.
// A process of its own: a test runner's heap moves by megabytes. Exit code 1 when something has grown.
// Fewer than 100,000 cycles are too few to tell growth from what V8 compiles meanwhile.
import { PendingTimers } from '@holdfast/testkit';
import { createLockClient, type LockClient } from 'holdfast';
import { Redis } from 'ioredis';
import { RecentReleases } from '../../src/tenure/recent-releases.js';
import { type Footprint, footprint, liveKeys } from './footprint.js';
import { type Clients, cycles } from './growth.js';
import { bytesPerHold, bytesPerLeanWaiter, bytesPerWaiter } from './growth-costs.js';
import { bytesPromoted } from './growth-promoted.js';
import { growthPerPart } from './growth-verdict.js';

const redis = process.env['REDIS_URL'];
if (redis === undefined) throw new Error('REDIS_URL is not set: use npm run growth');

// What was given back last is kept for a failover: thousands of objects, of which `recent-releases.test.ts` says how many. They would hide what grows.
RecentReleases.prototype.note = () => undefined;

const total = Number(process.argv[2] ?? 1_000_000);
/** Not judged: the first, in which everything is compiled and set up. */
const PARTS = 10;
const inPart = Math.ceil(total / PARTS);
const held = Math.min(10_000, total / 100);
const waiters = 1_000;
/** Measured while V8 has compiled next to nothing: more of them, so that this does not show. */
const leanWaiters = 10_000;

/** What the rarest way keeps, even one object each time, is hundreds in a part. */
const OBJECTS_PER_PART = 30;
/** Two idle clients, ioredis included, are some 700. What lingers for seconds after each call would be thousands. */
const IDLE_OBJECTS = 1_500;
/** For what is no object: one string kept for each cycle takes 30 bytes and more. V8's own tables need one or two in a short run. */
const BYTES_PER_CYCLE = 8;
/** Of garbage that outlives scavenges: it was 4,200 while the requests under way were a set. */
const PROMOTED_PER_CYCLE = 2_000;
/** Each of the two clients has one schedule for waits and one for leases, and each schedule at most one timer. */
const MOST_TIMERS = 4;

const say = (line: string) => process.stdout.write(`${line}\n`);
const grown: string[] = [];
const timers = new PendingTimers();
const admin = new Redis(redis);

function tell(moment: string, now: Footprint): void {
  const { objects, bytes, timers: pending, subscriptions, connections, keys } = now;
  const mebibytes = (bytes / 2 ** 20).toFixed(2);
  say(`| ${moment} | ${objects} | ${mebibytes} | ${pending} | ${subscriptions} | ${connections} | ${keys} |`);
}

/** Calls that were given up are still being taken back when they have their answer. What stays shows in the next report. */
async function settled(): Promise<void> {
  const until = performance.now() + 30_000;
  while ((await liveKeys(admin)) > 0 && performance.now() < until);
}

async function report(moment: string): Promise<Footprint> {
  const now = await footprint(admin, timers);
  tell(moment, now);
  return now;
}

const reporting = (moment: string) => async () => {
  await report(moment);
};

function expectExactly(first: Footprint, now: Footprint): void {
  const idle = now.objects - before.objects;
  if (idle > IDLE_OBJECTS) grown.push(`${idle} objects while nothing is held`);
  if (now.timers > MOST_TIMERS) grown.push(`${now.timers} timers`);
  if (now.subscriptions !== first.subscriptions) grown.push(`${now.subscriptions} subscriptions`);
  if (now.connections !== first.connections) grown.push(`${now.connections} connections`);
  if (now.keys > 0) grown.push(`${now.keys} keys`);
  if (now.lastingKeys > 0) grown.push(`${now.lastingKeys} keys without TTL`);
}

async function grow(clients: Clients): Promise<Footprint> {
  const samples: Footprint[] = [];
  for (let part = 1; part <= PARTS; part++) {
    await cycles(clients, inPart);
    await settled();
    samples.push(await report(`after ${part * inPart} cycles`));
  }
  const [first, ...rest] = samples as [Footprint, ...Footprint[]];
  for (const now of rest) expectExactly(first, now);
  const objects = growthPerPart(rest.map((sample) => sample.objects));
  const bytes = growthPerPart(rest.map((sample) => sample.bytes)) / inPart;
  say(`\nBy the median slope ${objects.toFixed(1)} objects in a part, ${bytes.toFixed(2)} bytes in a cycle.\n`);
  if (objects > OBJECTS_PER_PART) grown.push(`${objects.toFixed(0)} objects in a part of ${inPart} cycles`);
  if (bytes > BYTES_PER_CYCLE) grown.push(`${bytes.toFixed(1)} bytes in a cycle`);
  return first;
}

/** @param first - what it was before: all of it has to be over again. */
async function measure(clients: Clients, first: Footprint): Promise<string[]> {
  const oneLock = { count: waiters, nameOf: () => 'waited-for' };
  const ownLocks = { count: waiters, nameOf: (waiter: number) => `waited-for-${waiter}` };
  const perHold = await bytesPerHold(clients.one, held, reporting(`${held} locks held`));
  const perWaiter = await bytesPerWaiter(clients, oneLock, reporting(`${waiters} wait for one lock`));
  const perLock = await bytesPerWaiter(clients, ownLocks, reporting(`${waiters} wait for as many locks`));
  await settled();
  const last = await report('all over');
  expectExactly(first, last);
  return [
    `${Math.round(perHold)} bytes for each held lock`,
    `${Math.round(perWaiter)} bytes for each call that waits for one lock`,
    `${Math.round(perLock)} bytes for each call that waits for a lock of its own`,
  ];
}

async function promoted(client: LockClient): Promise<string> {
  const bytes = await bytesPromoted(client);
  if (bytes > PROMOTED_PER_CYCLE)
    grown.push(`${bytes.toFixed(0)} bytes of garbage that scavenges leave, for each cycle`);
  return `${Math.round(bytes)} bytes of garbage in a cycle that only a full collection frees, with 64 locks at once`;
}

const startedAt = performance.now();
/** However busy the machine is, a slow answer is not what is measured here. */
const patient = { redis, attemptTimeoutMs: 60_000, responseTimeoutMs: 60_000, watchdogTimeoutMs: 120_000 };
const twoClients = (): Clients => ({ one: createLockClient(patient), other: createLockClient(patient) });

async function closed({ one, other }: Clients): Promise<void> {
  await one.close();
  await other.close();
}

const early = twoClients();
const perLeanWaiter = await bytesPerLeanWaiter(early, leanWaiters);
await closed(early);
await settled();
say('| moment | objects | heap, MiB | timers | subscriptions | connections | keys |\n|---|---|---|---|---|---|---|');
const before = await report('before');
const clients = twoClients();
const costs = await measure(clients, await grow(clients));
await closed(clients);
const after = await report('closed');
if (after.timers + after.subscriptions > 0 || after.connections > before.connections)
  grown.push('something is open after close()');
// Of a client that has never had more under way: tables that were larger once hide it.
const fresh = twoClients();
costs.push(await promoted(fresh.one));
await closed(fresh);
say(`\n${costs.join('\n')}`);
say(
  `${Math.round(perLeanWaiter)} bytes for each of ${leanWaiters} calls on one handle, in withLock, before any scope was opened`,
);
say(`${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
for (const what of grown) say(`GROWN: ${what}`);
process.exitCode = grown.length === 0 ? 0 : 1;
admin.disconnect();
timers.restore();
