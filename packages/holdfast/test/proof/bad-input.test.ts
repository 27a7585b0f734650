import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { countCommands, seededRandom, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type LockClient, LockError } from 'holdfast';
import { openClient } from '../support/clients.js';
import { take, takeWithOwnClient, type Use } from './bad-input-calls.js';
import { corpus, type CorpusEntry, type CorpusKind } from './bad-input-corpus.js';
import { type Generated, InputGenerator } from './bad-input-generated.js';

const kit = useRedis(startPrivateRedis);

const show = (value: unknown) => inspect(value, { maxStringLength: 40, breakLength: Number.POSITIVE_INFINITY });

/** `had`, `busy`, or the name of an error that a caller can rely on; anything else in full. */
async function outcomeOf(call: () => Promise<boolean>): Promise<string> {
  try {
    return (await call()) ? 'had' : 'busy';
  } catch (error) {
    if (error instanceof LockError) return error.code;
    const { name } = error as Error;
    return name === 'TypeError' || name === 'RangeError' ? name : `no typed error: ${show(error)}`;
  }
}

/** A client whose Redis is a port that nobody must come to. */
async function openCanary(): Promise<{ client: LockClient; url: string; visits: () => number }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  kit.cleanup(() => new Promise((closed) => server.close(closed)));
  const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    client: openClient(kit, { redis: url, attemptTimeoutMs: 100, responseTimeoutMs: 100 }),
    url,
    visits: () => visits,
  };
}

async function inBatches<T, R>(items: readonly T[], size: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += size) {
    results.push(...(await Promise.all(items.slice(at, at + size).map(work))));
  }
  return results;
}

/** Tombstones may stay, and go by themselves. */
async function leftKeys(): Promise<{ lasting: string[]; held: string[] }> {
  const keys: string[] = [];
  for (let cursor = '0', begun = false; cursor !== '0' || !begun; begun = true) {
    const [next, page] = await kit.admin.scan(cursor, 'COUNT', 1_000);
    keys.push(...page);
    cursor = next;
  }
  const lasting: string[] = [];
  for (const key of keys) if ((await kit.admin.pttl(key)) === -1) lasting.push(key);
  return { lasting, held: keys.filter((key) => !/^holdfast_(?:tagged_)?dead:/.test(key)) };
}

afterEach(async () => {
  expect(await leftKeys()).toEqual({ lasting: [], held: [] });
});

const uses: Record<Exclude<CorpusKind, 'client'>, (value: unknown) => Use> = {
  name: (name) => take({ name }),
  owner: (owner) => take({ owner }),
  waitMs: (waitMs) => take({ options: { waitMs } }),
  leaseMs: (leaseMs) => take({ options: { leaseMs } }),
  maxHoldMs: (maxHoldMs) => take({ options: { maxHoldMs } }),
  options: (options) => take({ options }),
};

const callOf = ({ kind, value }: CorpusEntry, client: LockClient, url: string) =>
  kind === 'client' ? () => takeWithOwnClient(url, value) : () => uses[kind](value)(client);

/** What becomes of the shortest times on a machine that is busy. Redis has been asked all the same. */
const tolerated: Partial<Record<CorpusKind, string>> = {
  waitMs: 'LOCK_UNAVAILABLE',
  leaseMs: 'LOCK_LOST',
  maxHoldMs: 'LOCK_LOST',
  client: 'LOCK_LOST',
};

describe('the corpus', () => {
  it('has 300 entries and more', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(300);
  });

  it.each([...new Set(corpus.map(({ kind }) => kind))])(
    'as %s: each works, or is refused before any I/O',
    async (kind) => {
      const client = openClient(kit);
      const canary = await openCanary();
      const faults: string[] = [];
      for (const entry of corpus.filter((one) => one.kind === kind)) {
        const works = entry.outcome === 'works';
        const call = works ? callOf(entry, client, kit.server.url) : callOf(entry, canary.client, canary.url);
        const outcome = await outcomeOf(call);
        if (outcome !== (works ? 'had' : entry.outcome) && !(works && outcome === tolerated[kind]))
          faults.push(`${show(entry.value)}: ${outcome}, not ${entry.outcome}`);
      }
      expect(faults).toEqual([]);
      expect(canary.visits()).toBe(0);
    },
  );
});

describe('generated input', () => {
  const count = process.env['HOLDFAST_PROOF'] === 'long' ? 200_000 : 3_000;
  const seed = Number(process.env['HOLDFAST_SEED'] ?? 2);
  const refused = new Set(['TypeError', 'RangeError']);

  const callFor = (input: Generated, client: LockClient, url: string) =>
    input.subject === 'client' ? () => takeWithOwnClient(url, input.options) : () => take(input)(client);

  it(`works or is refused before any I/O, ${count} times`, async () => {
    const client = openClient(kit);
    const generator = new InputGenerator(seededRandom(seed));
    const inputs = Array.from({ length: count }, () => generator.next());
    const counter = await countCommands(kit.admin);
    const outcomes = await inBatches(inputs, 250, (input) => outcomeOf(callFor(input, client, kit.server.url)));
    const { evalsha = 0 } = await counter.delta();
    const tally = new Map<string, number>();
    for (const outcome of outcomes) tally.set(outcome, (tally.get(outcome) ?? 0) + 1);

    const untyped = inputs.filter((_, index) => outcomes[index]?.startsWith('no typed error'));
    expect({ seed, untyped: untyped.map(show) }).toEqual({ seed, untyped: [] });
    // Each lock that was had cost an ask and a release, or passed from one call to the next in memory.
    const reached = outcomes.filter((outcome) => !refused.has(outcome)).length;
    expect(reached / count).toBeGreaterThan(0.3);
    expect(evalsha).toBeGreaterThan(0.3 * count);
    expect(tally.get('had')).toBeGreaterThan(0.3 * count);

    // What was refused is refused again by a client whose Redis would notice the first byte.
    const canary = await openCanary();
    const turnedAway = inputs.flatMap((input, index) => {
      const outcome = outcomes[index] ?? '';
      return refused.has(outcome) ? [{ input, outcome }] : [];
    });
    const again = await inBatches(turnedAway, 250, async ({ input, outcome }) => {
      const second = await outcomeOf(callFor(input, canary.client, canary.url));
      return second === outcome ? [] : [`${show(input)}: ${outcome}, then ${second}`];
    });
    expect(again.flat()).toEqual([]);
    expect(canary.visits()).toBe(0);
    expect(turnedAway.length / count).toBeGreaterThan(0.3);
  }, 120_000);
});

it('maxHoldMs counts from the hold on, however long the call has waited', async () => {
  const [client, other] = [openClient(kit), openClient(kit)];
  const busy = await other.getLock('slow').acquire();
  const waiting = client.getLock('slow').acquire({ maxHoldMs: 150, waitMs: 3_000 });
  const startedAt = performance.now();
  await waitUntil(() => performance.now() - startedAt > 200, { what: 'a wait longer than maxHoldMs' });
  await busy.release();
  await (await waiting).release();
});
