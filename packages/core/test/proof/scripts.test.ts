/**
 * Every script against the rule table: random stories of commands with duplicates, late copies, expiries and a foreign
 * owner, on a real server; reply, state and messages are compared after each step.
 *
 * HOLDFAST_PROOF=long tells many more stories. A failure prints its seed and path: see `proofRuns` for how to repeat it.
 */
import { proofRuns } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { inboxChannel, lockKeys } from '../../src/index.js';
import { useLockServer } from '../support/lock-server.js';
import { RuleTable } from './rules.js';
import { ServerSide } from './server-side.js';
import { IDENTITIES, LISTENING, Numbering, type Step, stories } from './steps.js';
import { type Command, GRAIN_MS, setTtl, type World } from './vocabulary.js';

const server = useLockServer();
const NAME = 'stock';
const keys = lockKeys(NAME);
const listening = new Set<string>(LISTENING);

describe('every script does what the rule table says', () => {
  const { parameters, timeoutMs } = proofRuns({ quick: 150, long: 5_000 });

  it(
    'whatever arrives late, twice or out of order',
    async () => {
      const channels = await server.listen(keys.releaseChannel, ...LISTENING.map(inboxChannel));
      const received = async () => (await channels.received()).map(([, message]) => spoken(message));
      const seen = new Set<string>();
      const property = fc.asyncProperty(stories, async (story) => {
        await server.redis.flushall();
        await received();
        await tell(story, received, seen);
      });
      await fc.assert(property, parameters);
      // A repeated counterexample is one story: it cannot see everything.
      if (parameters.path === undefined) expect([...seen].sort()).toEqual(EVERY_REPLY);
    },
    timeoutMs,
  );
});

async function tell(story: readonly Step[], received: () => Promise<string[]>, seen: Set<string>): Promise<void> {
  const real = new ServerSide(server, NAME, IDENTITIES);
  const rules = new RuleTable();
  const numbering = new Numbering();
  let latestTicket = 0;
  for (const step of story) {
    const command = await commandOf(step, numbering, rules.world);
    if (command !== undefined) {
      rules.messages = [];
      const isNew = command.op === 'ask' && command.ticket === 0 && !rules.queues(command.tenure);
      const reply = await real.run(command);
      // A newcomer that is served at once is never told its ticket: it stood behind everybody.
      const ticket = reply[0] === 'wait' ? Number(reply[3]) : Number.MAX_SAFE_INTEGER;
      const expected = rules.apply(command, { newTicket: ticket, listens: (client) => listening.has(client) });
      const messages = await received();
      expect({ command, reply, messages }).toEqual({ command, reply: expected, messages: rules.messages });
      if (command.op === 'ask' && reply[0] === 'wait') numbering.learn(command.tenure, ticket);
      if (isNew && reply[0] === 'wait') {
        expect(ticket).toBeGreaterThan(latestTicket);
        latestTicket = ticket;
      }
      for (const kind of command.op === 'renew' ? reply.map((outcome) => String(outcome)) : [String(reply[0])]) {
        seen.add(`${command.op} ${kind.split(',')[0]}`);
      }
    }
    expect({ step, world: await real.world() }).toEqual({ step, world: asFound(rules.world) });
  }
}

/** What `step` sends, if it is a command; else what it does to the server is done to both sides. */
async function commandOf(step: Step, numbering: Numbering, world: World): Promise<Command | undefined> {
  const { redis } = server;
  switch (step.kind) {
    case 'send':
      return numbering.first(step, world.owner);
    case 'copy':
      return numbering.copy(step.back);
    case 'expire':
      if (step.what === 'lock') {
        await redis.del(keys.lock);
        world.owner = undefined;
      } else {
        await redis.del(keys.queue, keys.fresh);
        world.queue = [];
        world.fresh = {};
      }
      return undefined;
    case 'forgetTombstone':
      await redis.del(keys.dead(step.identity));
      delete world.dead[step.identity];
      return undefined;
    case 'goStale': {
      const entry = world.fresh[step.tenure];
      if (entry === undefined) return undefined;
      await redis.hset(keys.fresh, step.tenure, `1 ${entry.wantedMs}`);
      entry.until = 'past';
      return undefined;
    }
    case 'foreignOwner':
      if (world.owner !== undefined) return undefined;
      await redis.multi().hset(keys.lock, 'java:1', 1).pexpire(keys.lock, GRAIN_MS).exec();
      world.owner = { id: 'java:1', count: 1, seq: undefined, ttlMs: GRAIN_MS };
      return undefined;
  }
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
  const [until, now, others, token] = rest;
  expect(token).toBe('-');
  return `grant ${tenure} ${setTtl(Number(until) - Number(now))} ${others}`;
}

const EVERY_REPLY = [
  'again held',
  'again lost',
  'ask acquired',
  'ask busy',
  'ask dead',
  'ask mine',
  'ask wait',
  'cancel cancelled',
  'force forced',
  'handoff lost',
  'handoff passed',
  'release granted',
  'release held',
  'release notHeld',
  'release released',
  'renew lost',
  'renew owned',
];
