/** Small real runs, judged by everything that there is: the histories of the clients, and the append-only file of the server. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPrivateRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createLockClient } from 'holdfast';
import { compareWithAof } from '../src/aof/compare.js';
import { readAof } from '../src/aof/parse.js';
import { replay } from '../src/aof/replay.js';
import { faultClasses } from '../src/check/fault-classes.js';
import { judge } from '../src/check/judge.js';
import { callReferee } from '../src/check/referee.js';
import { readHistory } from '../src/history/read.js';
import { Recorder } from '../src/history/recorder.js';
import { RecordedClient, type Section } from './support/recorded-client.js';

/** No client finds out by a renewal what was done to it, and none stands still for so long, however busy the machine is. */
const watchdogLeaseMs = 600_000;

/** Go compiles it the first time: a minute on a new machine. */
let called: Awaited<ReturnType<typeof callReferee>>;
beforeAll(async () => {
  called = await callReferee(fileURLToPath(new URL('..', import.meta.url)));
}, 180_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** It writes each command before it answers; nobody needs it on the disk, since the machine goes on. */
const startServer = () =>
  startPrivateRedis({
    args: [
      ...['--appendonly', 'yes', '--appendfsync', 'no', '--aof-use-rdb-preamble', 'no'],
      ...['--aof-timestamp-enabled', 'yes', '--dir', folder],
    ],
  });

const newClient = (url: string, worker: string): RecordedClient =>
  new RecordedClient(
    createLockClient({ redis: url, watchdogTimeoutMs: watchdogLeaseMs }),
    join(folder, `${worker}.jsonl`),
    worker,
  );

const histories = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name));

/** Ties the clocks, and records what is done to the server. */
function newOperator(): Recorder {
  const operator = new Recorder({ file: join(folder, 'operator.jsonl'), worker: 'operator' });
  operator.record({ type: 'event', f: 'server', code: 'clock', target: 'redis', wall: Date.now() * 1_000 });
  return operator;
}

it('a contended run with nesting, lost leases and killed connections is explained by all checkers and by the server', async () => {
  const server = await startServer();
  const operator = newOperator();
  const clients = ['a', 'b', 'c'].map((worker) => newClient(server.url, worker));

  const round = async (recorded: RecordedClient, lock: string, index: number): Promise<void> => {
    const outer = await recorded.acquire(lock);
    if (index % 3 === 0) {
      const inner: Section = await recorded.acquire(lock, {}, { ...outer, depth: 1 });
      recorded.sample(outer);
      await recorded.release(inner);
    }
    recorded.sample(outer);
    await recorded.release(outer);
  };
  const task = async (recorded: RecordedClient, offset: number): Promise<void> => {
    for (let index = 0; index < 25; index += 1) await round(recorded, `lock-${(offset + index) % 3}`, index);
  };
  const shortLease = async (recorded: RecordedClient): Promise<void> => {
    const lost = await recorded.acquire('lock-3', { leaseMs: 150 });
    await waitUntil(() => lost.held.state === 'lost');
    await recorded.release(lost);
  };
  const tasks = clients.flatMap((recorded, index) => [
    task(recorded, index),
    task(recorded, index + 1),
    shortLease(recorded),
  ]);
  const admin = await server.admin();
  for (const kind of ['normal', 'pubsub']) {
    operator.record({ type: 'event', f: 'fault', code: 'client-kill', state: 'once' });
    await admin.call('CLIENT', 'KILL', 'TYPE', kind, 'SKIPME', 'yes');
  }
  await Promise.all(tasks);
  await Promise.all(clients.map((recorded) => recorded.close()));
  operator.close();
  await server.stop();

  const faultClass = faultClasses['crash-and-network'];
  const history = readHistory(histories());
  const { violations, undecided, counts } = judge(history, { faultClass, watchdogLeaseMs });
  expect(violations).toEqual([]);
  expect(undecided).toEqual([]);
  expect(counts).toMatchObject({ holds: 3 * (2 * (25 + 9) + 1), lost: 3 });

  const aof = compareWithAof(history, [replay(readAof(join(folder, 'appendonlydir')))], faultClass);
  expect(aof.violations).toEqual([]);
  // A hold that was handed over in memory while its owner was asked for has no known tenure.
  expect(aof.compared).toBeGreaterThan(counts.holds * 0.9);

  if (called.kind === 'absent') process.stderr.write(`[porcupine] not asked: ${called.why}\n`);
  else expect(await called.referee.judge(histories(), faultClass)).toMatchObject({ illegal: [], undecided: [] });
}, 60_000);

it('a lock deleted from outside is a violation, unless the run says that it deletes locks', async () => {
  const server = await startServer();
  const operator = newOperator();
  const [victim, other] = [newClient(server.url, 'a'), newClient(server.url, 'b')];

  const held = await victim.acquire('x');
  victim.sample(held);
  const op = operator.invoke({ type: 'invoke', f: 'force', lock: 'x', code: 'del' });
  await (await server.admin()).del('x');
  operator.record({ type: 'ok', f: 'force', op, lock: 'x' });
  const second = await other.acquire('x');
  victim.sample(held);
  await victim.release(held);
  await other.release(second);
  await Promise.all([victim.close(), other.close()]);
  operator.close();
  await server.stop();

  const history = readHistory(histories());
  const timeline = replay(readAof(join(folder, 'appendonlydir')));
  const judged = judge(history, { faultClass: faultClasses['crash-and-network'], watchdogLeaseMs });
  expect(judged.violations.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['overlap', 'not-linearizable']));
  const declared = judge(history, { faultClass: faultClasses['force-unlock'], watchdogLeaseMs });
  expect(declared.violations).toEqual([]);
  expect(compareWithAof(history, [timeline], faultClasses['force-unlock']).violations).toEqual([]);
}, 60_000);
