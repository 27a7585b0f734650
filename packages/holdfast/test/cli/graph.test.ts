import { randomUUID } from 'node:crypto';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient } from 'holdfast';
import { circlesIn, type Party, stillThere, type WaitFor } from '../../src/cli/waits-for.js';
import { openClient } from '../support/clients.js';
import { holdfast } from './terminal.js';

const kit = useRedis();

interface Graph {
  readonly waits: readonly WaitFor[];
  readonly circles: readonly { readonly atMostMs: number; readonly waits: readonly WaitFor[] }[];
}

/** So many clients, each of which holds the lock of its number. */
async function holders(count: number) {
  const prefix = `graph-${randomUUID()}:`;
  const clients = Array.from({ length: count }, () => openClient(kit, { prefix }));
  const holds = await Promise.all(clients.map((client, index) => client.getLock(`${index}`).acquire()));
  return { prefix, clients, holds };
}

async function waitsFor(client: LockClient, name: string): Promise<{ readonly hold: Promise<Hold> }> {
  const hold = client.getLock(name).acquire();
  const isQueued = async () => (await client.inspect(name)).queue.some(({ thisClient }) => thisClient);
  await waitUntil(isQueued, { what: `it waits for ${name}` });
  return { hold };
}

const endOf = async ({ hold }: { readonly hold: Promise<Hold> }) => (await hold).release();

async function graphOf(prefix: string): Promise<Graph & { readonly code: number }> {
  const { code, json } = await holdfast(kit, ['graph', '--prefix', prefix, '--json']);
  return { code, ...(json[0] as Graph) };
}

describe('holdfast graph', () => {
  it('where no process waits for another says what it does not look at, and does not say that nobody waits', async () => {
    const { prefix, clients, holds } = await holders(1);
    const [client] = clients as [LockClient];
    const inside = client.getLock('0').acquire();
    await waitUntil(() => client.stats().waiting === 1, { what: 'a call waits inside' });
    const { code, output } = await holdfast(kit, ['graph', '--prefix', prefix]);
    expect(code).toBe(0);
    expect(output).toMatch(
      /^no process waits for a lock that another holds\n\(not looked at: .*holder's own process.*permits.*latch.*rest\)\n$/,
    );
    await holds[0]?.release();
    await (await inside).release();
  });

  it('says who waits for whom; a row of clients is no circle', async () => {
    const { prefix, clients, holds } = await holders(3);
    const [one, two, three] = clients as [LockClient, LockClient, LockClient];
    const waits = [await waitsFor(one, '1'), await waitsFor(two, '2')];
    const { code, waits: seen, circles } = await graphOf(prefix);
    expect(code).toBe(0);
    expect(circles).toEqual([]);
    expect(seen.toSorted((a, b) => (a.lock < b.lock ? -1 : 1))).toMatchObject([
      {
        lock: '1',
        waiter: { id: expect.stringContaining(one.clientId) },
        holder: { id: expect.stringContaining(two.clientId) },
      },
      {
        lock: '2',
        waiter: { id: expect.stringContaining(two.clientId) },
        holder: { id: expect.stringContaining(three.clientId) },
      },
    ]);
    await Promise.all(holds.map((hold) => hold.release()));
    await Promise.all(waits.map(endOf));
  });

  it('marks a circle with its age, ends with 1, and leaves all as it is', async () => {
    const { prefix, clients, holds } = await holders(2);
    const [one, two] = clients as [LockClient, LockClient];
    const waits = [await waitsFor(one, '1'), await waitsFor(two, '0')];
    const { code, circles } = await graphOf(prefix);
    expect(code).toBe(1);
    expect(circles).toHaveLength(1);
    expect(circles[0]?.waits.map(({ lock }) => lock).toSorted()).toEqual(['0', '1']);
    expect(circles[0]?.atMostMs).toBe(Math.min(...(circles[0]?.waits ?? []).map(({ atMostMs }) => atMostMs)));
    const { output } = await holdfast(kit, ['graph', '--prefix', prefix]);
    expect(output.split('\n').filter((line) => /^\* +[\w-]+ +[01] /.test(line))).toHaveLength(2);
    expect(output).toContain('\n* a circle of 2, for at most ');
    expect(output).toContain(`${one.clientId} waits for 1, held by ${two.clientId}`);
    expect(holds.map(({ state }) => state)).toEqual(['held', 'held']);
    await Promise.all(holds.map((hold) => hold.release()));
    await Promise.all(waits.map(endOf));
  });
});

describe('holdfast graph of a part of the locks', () => {
  it('says that it is one, for a circle may go by way of the rest: where --limit was reached, and where a pattern was given', async () => {
    const { prefix, clients, holds } = await holders(2);
    const [one, two] = clients as [LockClient, LockClient];
    const waits = [await waitsFor(one, '1'), await waitsFor(two, '0')];
    const call = async (...args: string[]) => {
      const { code, json, errors } = await holdfast(kit, ['graph', ...args, '--prefix', prefix, '--json']);
      const said = errors
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { error: { code: string; message: string } }).error);
      return { code, circles: (json[0] as Graph).circles.length, said };
    };
    const partial = (words: string) => ({ code: 'PARTIAL_VIEW', message: expect.stringContaining(words) as unknown });
    expect(await call('--limit', '1')).toEqual({ code: 0, circles: 0, said: [partial('--limit 1 was reached')] });
    expect(await call('0')).toEqual({ code: 0, circles: 0, said: [partial('only locks like 0')] });
    expect(await call('--limit', '3')).toEqual({ code: 1, circles: 1, said: [] });
    expect(await call('*')).toEqual({ code: 1, circles: 1, said: [] });
    await Promise.all(holds.map((hold) => hold.release()));
    await Promise.all(waits.map(endOf));
  });
});

/** The client `one` waits with the `wait`th of its tenures for `other`, of which that one has the lock. */
const edge = (one: string, other: string, wait = 1): WaitFor => {
  const party = (client: string): Party => ({ id: `${client}:${wait}`, kind: 'holdfast', client: undefined });
  return { lock: `of-${other}`, waiter: party(one), holder: party(other), waitingMs: 5, atMostMs: 5 };
};
const through = (circle: readonly WaitFor[]) => circle.map(({ waiter }) => waiter.id.split(':')[0]).join('');

describe('circles of waits', () => {
  it('are found for each client that is in one, shortest first found, without the ways that lead there', () => {
    const waits = [edge('z', 'a'), edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('c', 'b'), edge('d', 'e')];
    expect(circlesIn(waits).map(through)).toEqual(['abc']);
    expect(circlesIn([edge('a', 'b'), edge('b', 'a'), edge('c', 'd'), edge('d', 'c')]).map(through)).toEqual([
      'ab',
      'cd',
    ]);
    expect(circlesIn([edge('a', 'a')])).toEqual([]);
  });

  it('count only when each wait is there at the second look too: another wait for the same lock is not it', () => {
    const circles = circlesIn([edge('a', 'b'), edge('b', 'a')]);
    expect(stillThere(circles, [edge('b', 'a'), edge('a', 'b')])).toEqual(circles);
    expect(stillThere(circles, [edge('b', 'a'), edge('a', 'b', 2)])).toEqual([]);
  });
});
