/**
 * Every script against the rule table: random stories of commands with duplicates, late copies, expiries, foreign owners
 * and queues full of the dead, on a real server; reply, state and messages are compared after each step.
 *
 * HOLDFAST_PROOF=long tells many more stories. A failure prints its seed and path: see `proofRuns` for how to repeat it.
 */
import { proofRuns } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { inboxChannel, lockKeys } from '../../src/index.js';
import { useLockServer } from '../support/lock-server.js';
import { isOther, RuleTable } from './rules.js';
import { ServerSide } from './server-side.js';
import { IDENTITIES, JAVA, LISTENING, Numbering, type Step, stories } from './steps.js';
import { type Command, GRAIN_MS, LASTING, type Reply, setTtl, type World } from './vocabulary.js';

const server = useLockServer();
const NAME = 'stock';
const keys = lockKeys(NAME);
const MINUTE_MICROS = 60_000_000;
const listening = new Set<string>(LISTENING);

describe('every script does what the rule table says', () => {
  const { parameters, timeoutMs } = proofRuns({ quick: 75, long: 5_000 });

  it(
    'whatever arrives late, twice or out of order',
    async () => {
      const channels = await server.listen(keys.releaseChannel, ...LISTENING.map(inboxChannel));
      const received = async () => (await channels.received()).map(([, message]) => spoken(message));
      const seen = new Set<string>();
      let told = 0;
      const property = fc.asyncProperty(stories, async (story) => {
        await server.redis.flushall();
        await server.redis.set(lockKeys(ServerSide.text).lock, 'something else', 'PX', 3_600_000);
        await received();
        await tell(story, received, seen);
        told++;
      });
      // Some stories end with a lock whose TTL a foreign client has taken away.
      server.expectLasting(keys.lock);
      await fc.assert(property, parameters);
      // A repeated counterexample is one story, and a slow machine tells fewer: they cannot see everything.
      if (told >= parameters.numRuns) expect([...seen].sort()).toEqual(EVERY_REPLY);
    },
    timeoutMs,
  );
});

async function tell(story: readonly Step[], received: () => Promise<string[]>, seen: Set<string>): Promise<void> {
  const real = new ServerSide(server, NAME);
  const rules = new RuleTable();
  const numbering = new Numbering();
  for (const step of story) {
    const command = await commandOf(step, numbering, rules.world);
    if (command === undefined) continue;
    rules.messages = [];
    const isNew = command.op === 'ask' && command.ticket === 0 && !rules.queues(command.tenure);
    const latestTicket = Math.max(0, ...rules.world.queue.map((waiter) => waiter.ticket));
    const reply = await real.run(command);
    // A newcomer that is served at once is never told its ticket: it stood behind all others.
    const ticket = reply[0] === 'wait' ? Number(reply[3]) : Number.MAX_SAFE_INTEGER;
    const expected = rules.apply(command, { newTicket: ticket, listens: (client) => listening.has(client) });
    const identities = [...new Set([...IDENTITIES, ...Object.keys(rules.world.dead)])];
    const [messages, world] = await Promise.all([received(), real.world(identities)]);
    const found = { command, reply, messages, world };
    expect(found).toEqual({ command, reply: expected, messages: rules.messages, world: asFound(rules.world) });
    if (command.op === 'ask' && reply[0] === 'wait') numbering.learn(command.tenure, ticket);
    if (isNew && reply[0] === 'wait') expect(ticket).toBeGreaterThan(latestTicket);
    for (const [kind] of command.op === 'renew' ? (reply as Reply[]) : [reply]) {
      seen.add(`${command.op} ${String(kind)}`);
    }
    // The lock is free, the asker is told to wait: all those that one script may try were gone.
    if (reply[0] === 'wait' && reply[1] === 0) seen.add('ask passed over enough');
  }
}

/** What `step` sends, if it is a command; else what it does to the server is done to both sides. */
async function commandOf(step: Step, numbering: Numbering, world: World): Promise<Command | undefined> {
  if (step.kind === 'send') return numbering.first(step, world.lock);
  if (step.kind === 'copy') return numbering.copy(step.back);
  await happen(step, numbering, world);
  return undefined;
}

async function happen(step: Exclude<Step, { kind: 'send' | 'copy' }>, numbering: Numbering, world: World) {
  const { redis } = server;
  switch (step.kind) {
    case 'expire':
      if (step.what === 'lock') {
        await redis.del(keys.lock);
        world.lock = undefined;
      } else {
        await redis.del(keys.queue, keys.fresh);
        world.queue = [];
        world.fresh = {};
        delete world.returned;
      }
      return;
    case 'forgetTombstone':
      await redis.del(keys.dead(step.identity));
      delete world.dead[step.identity];
      return;
    case 'goStale': {
      const entry = world.fresh[step.tenure];
      if (entry === undefined) return;
      await redis.hset(keys.fresh, step.tenure, `1 ${entry.wantedMs}${entry.more}`);
      entry.until = 'past';
      return;
    }
    case 'saysMore': {
      const entry = world.fresh[step.tenure];
      if (entry === undefined || entry.more !== '') return;
      await redis.hset(keys.fresh, step.tenure, `${await redis.hget(keys.fresh, step.tenure)}${step.more}`);
      entry.more = step.more;
      return;
    }
    case 'clockGoesBack':
      for (const waiter of world.queue) waiter.ticket += MINUTE_MICROS;
      for (const { ticket, tenure } of world.queue) await redis.zadd(keys.queue, 'XX', ticket, tenure);
      return;
    case 'foreignOwner': {
      if (world.lock !== undefined) return;
      world.lock = structuredClone(step.lock);
      if (isOther(step.lock)) {
        if (step.lock === 'text') await redis.set(keys.lock, 'something else', 'PX', GRAIN_MS);
        else await redis.multi().hset(keys.lock, 'name', 'Ada', 'likes', '7').pexpire(keys.lock, GRAIN_MS).exec();
        return;
      }
      const { owners, mode, ttlMs } = step.lock;
      await redis.hset(keys.lock, mode === undefined ? owners : { mode, ...owners });
      if (ttlMs !== LASTING) await redis.pexpire(keys.lock, ttlMs);
      return;
    }
    case 'foreignReader':
      if (world.lock === undefined || isOther(world.lock) || world.lock.mode !== undefined) return;
      await redis.hset(keys.lock, 'mode', 'read', JAVA, 1);
      world.lock.mode = 'read';
      world.lock.owners[JAVA] = 1;
      return;
    case 'losesTtl':
      if (world.lock === undefined || isOther(world.lock)) return;
      await redis.persist(keys.lock);
      world.lock.ttlMs = LASTING;
      return;
    case 'deadWaiters':
      await joinAhead(numbering.crowd(step.many), step, world);
  }
}

/** They stand before all that have ever asked, and will never ask again. */
async function joinAhead(crowd: string[], { why, more }: Step & { kind: 'deadWaiters' }, world: World): Promise<void> {
  const ttlMs = 5 * GRAIN_MS;
  const wantedMs = GRAIN_MS;
  const waiters = crowd.map((tenure, index) => ({ tenure, ticket: index + 1 }));
  await server.redis.zadd(keys.queue, ...waiters.flatMap(({ tenure, ticket }) => [ticket, tenure]));
  await server.redis.pexpire(keys.queue, ttlMs);
  world.queue = [...waiters, ...world.queue].sort((a, b) => a.ticket - b.ticket || (a.tenure < b.tenure ? -1 : 1));
  world.queueTtlMs = ttlMs;
  if (why === 'unknown') return;
  const until = why === 'stale' ? 'past' : 'ahead';
  const untilMs = why === 'stale' ? 1 : Date.now() + 3_600_000;
  for (const { tenure } of waiters) world.fresh[tenure] = { wantedMs, until, more };
  await server.redis.hset(
    keys.fresh,
    Object.fromEntries(crowd.map((tenure) => [tenure, `${untilMs} ${wantedMs}${more}`])),
  );
  await server.redis.pexpire(keys.fresh, ttlMs);
  world.freshTtlMs = ttlMs;
}

/** An empty collection is no key. */
function asFound(world: World): World {
  const queueTtlMs = world.queue.length === 0 ? -2 : world.queueTtlMs;
  const freshTtlMs = Object.keys(world.fresh).length === 0 ? -2 : world.freshTtlMs;
  return { ...world, queueTtlMs, freshTtlMs };
}

/** A message with its times as durations, and without what never changes. */
function spoken(message: string): string {
  if (message === '0') return 'free';
  const [version, kind, tenure, ...rest] = message.split(' ');
  expect(version).toBe('1');
  if (kind !== 'grant') return [kind, tenure, ...rest].join(' ');
  const [until, now, others, token, reason, since] = rest;
  expect(token).toBe('-');
  if (reason !== undefined) expect(Number(since)).toBeLessThanOrEqual(Number(now));
  return `grant ${tenure} ${setTtl(Number(until) - Number(now))} ${others} ${reason ?? 'nothing'}`;
}

const EVERY_REPLY = [
  'again held',
  'again lost',
  'ask acquired',
  'ask busy',
  'ask dead',
  'ask mine',
  'ask passed over enough',
  'ask refused',
  'ask wait',
  'cancel cancelled',
  'force forced',
  'force refused',
  'handoff lost',
  'handoff passed',
  'release granted',
  'release held',
  'release notHeld',
  'release released',
  'renew held',
  'renew lost',
  'renew renewed',
];
