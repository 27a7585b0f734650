import { randomUUID } from 'node:crypto';
import { faultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { openClient } from '../support/clients.js';
import { holdfast, Running, type Sitting } from './terminal.js';

const kit = useRedis();
const freshPrefix = () => `watch-${randomUUID()}:`;
const every = ['--every', '100ms'];

/** It is told to end when the test is over, however that ends. */
function watching(args: readonly string[], sitting?: Sitting): Running {
  const call = new Running(kit, ['watch', ...args, ...every], sitting);
  let isOver = false;
  void call.ended.then(() => (isOver = true));
  kit.cleanup(async () => {
    if (!isOver) call.tell('SIGTERM');
    await call.ended;
  });
  return call;
}

describe('holdfast watch', () => {
  it('with --json tells each change once: held, a longer queue, passed, free', async () => {
    const prefix = freshPrefix();
    const [holder, waiter] = [openClient(kit, { prefix }), openClient(kit, { prefix })];
    const hold = await holder.getLock('pay').acquire();
    const call = watching(['--prefix', prefix, '--json']);
    const told = (count: number) => waitUntil(() => call.json.length >= count, { what: `${count} lines` });
    await told(1);
    const waiting = waiter.getLock('pay').acquire();
    await told(2);
    await hold.release();
    const second = await waiting;
    await told(3);
    await second.release();
    await told(4);
    call.tell('SIGINT');
    const at = '2026-02-03T04:05:06.789Z';
    expect(await call.ended).toMatchObject({ code: 0, errors: '' });
    expect(call.json).toMatchObject([
      { at, change: 'held', name: 'pay', waiting: 0 },
      { at, change: 'crowd', name: 'pay', waiting: 1 },
      { at, change: 'passed', name: 'pay', waiting: 0, owner: { id: expect.stringContaining(waiter.clientId) } },
      { at, change: 'free', name: 'pay' },
    ]);
    expect(call.json).toHaveLength(4);
  });

  it('draws a table over the last one, no longer than the terminal, and leaves the terminal as it was', async () => {
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix });
    const holds = await Promise.all(['a', 'b', 'c', 'd'].map((name) => client.getLock(name).acquire()));
    const call = watching(['--prefix', prefix], { answer: '' });
    const frames = () => call.output.split('\u001B[H').slice(1);
    await waitUntil(() => frames().length >= 2, { what: 'it draws again' });
    const [first = ''] = frames();
    const lines = first.split('\r\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^holdfast: 4 held · every 100 ms · 04:05:06 UTC · Ctrl\+C ends/);
    expect(lines.slice(2).map((line) => line.slice(0, 5))).toEqual(['NAME ', 'a    ', 'b    ', 'and 2']);
    expect(first.replace('\u001B[J', '').split('\u001B[K')).toHaveLength(7);
    await Promise.all(holds.map((hold) => hold.release()));
    await waitUntil(() => call.output.includes('holdfast: 0 held'), { what: 'it shows that all are free' });
    call.tell('SIGINT');
    expect(await call.ended).toMatchObject({ code: 0 });
    expect(call.output.split('\u001B[?1049h')).toHaveLength(2);
    expect(call.output.endsWith('\u001B[?7h\u001B[?25h\u001B[?1049l')).toBe(true);
  });

  it('with --limit calls no lock free that is held still and has only fallen behind the limit', async () => {
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix });
    // Which comes first the keys of Redis say.
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => client.getLock(name).acquire()));
    const listed = (await holdfast(kit, ['ls', '--prefix', prefix, '--json'])).json as { readonly name: string }[];
    await Promise.all(all.map((hold) => hold.release()));
    const [front = '', back = ''] = [listed[0]?.name, listed.at(-1)?.name];
    const behind = await client.getLock(back).acquire();
    const call = watching(['--prefix', prefix, '--json', '--limit', '1']);
    const told = (count: number) => waitUntil(() => call.json.length >= count, { what: `${count} lines` });
    await told(1);
    const before = await client.getLock(front).acquire();
    await told(2);
    await behind.release();
    await told(3);
    await before.release();
    await told(4);
    call.tell('SIGINT');
    await call.ended;
    expect(call.json).toMatchObject([
      { change: 'held', name: back },
      { change: 'held', name: front },
      { change: 'free', name: back },
      { change: 'free', name: front },
    ]);
  });

  it('fits its rows in a narrow terminal: names lose their middle, and what stands behind them is seen', async () => {
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix, clientName: 'orders-service-production-eu-central-1' });
    const hold = await client.getLock(`order:${'1234567890'.repeat(6)}:payment`).acquire();
    const call = watching(['--prefix', prefix], { answer: '', columns: 60 });
    await waitUntil(() => call.output.includes('order:'), { what: 'it draws' });
    const [, , head = '', row = ''] = (call.output.split('\u001B[H')[1] ?? '')
      .split('\r\n')
      .map((line) => line.replaceAll('\u001B[K', '').replaceAll('\u001B[J', ''));
    expect(head).toMatch(/^NAME +SIDE +HELD BY +ASKED +LEASE LEFT +WAITING$/);
    expect(row).toMatch(/^order\S*…\S*ment +orders\S*….* s +0$/);
    expect(Math.max(head.length, row.length)).toBeLessThanOrEqual(60);
    call.tell('SIGINT');
    await call.ended;
    await hold.release();
  });

  it('goes on when Redis is away for a while, and says so once; ends at once when the first look fails', async () => {
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const prefix = freshPrefix();
    const hold = await openClient(kit, { prefix }).getLock('x').acquire();
    const call = watching(['--redis', proxy.url, '--prefix', prefix, '--json', '--timeout', '300ms']);
    await waitUntil(() => call.json.length === 1, { what: 'it is seen' });
    proxy.refuse();
    proxy.reset();
    await waitUntil(() => call.errors !== '', { what: 'it says so' });
    await hold.release();
    await proxy.heal();
    await waitUntil(() => call.json.length === 2, { what: 'the lock is free' });
    expect(call.json[1]).toMatchObject({ change: 'free', name: 'x' });
    expect(call.errors).toMatch(/^\{"error":\{"code":"LOCK_UNAVAILABLE",.*\}\}\n$/);
    call.tell('SIGTERM');
    expect(await call.ended).toMatchObject({ code: 0 });
    const nowhere = ['watch', '--json', '--redis', 'redis://127.0.0.1:1', '--timeout', '200ms'];
    expect(await holdfast(kit, nowhere)).toMatchObject({ code: 69, output: '' });
  });

  it('says that Redis is away once each time; on a terminal what was seen before stays, with what is wrong', async () => {
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const prefix = freshPrefix();
    const client = openClient(kit, { prefix });
    const where = ['--redis', proxy.url, '--prefix', prefix, '--timeout', '1s'];
    const [lines, table] = [watching([...where, '--json']), watching(where, { answer: '' })];
    const saidAway = () => lines.errors.split('\n').length - 1;
    const drawnAway = () => table.output.split('as it was before').length - 1;
    for (const spell of [1, 2]) {
      await client.getLock(`before ${spell}`).acquire();
      const isSeen = () => lines.json.length === spell && table.output.includes(`before ${spell}`);
      await waitUntil(isSeen, { what: `spell ${spell} to begin`, timeoutMs: 20_000 });
      proxy.refuse();
      proxy.reset();
      const before = drawnAway();
      await waitUntil(() => saidAway() >= spell && drawnAway() > before + 2, {
        what: 'both to look several times',
        timeoutMs: 20_000,
      });
      expect(table.output.split('\u001B[H').at(-1)).toContain(`before ${spell}`);
      await proxy.heal();
    }
    await waitUntil(() => table.output.lastIndexOf('Ctrl+C ends') > table.output.lastIndexOf('as it was'), {
      what: 'Redis to be back',
    });
    expect(saidAway()).toBe(2);
  }, 90_000);

  it('refuses where there is no terminal to draw on, and to look without a pause', async () => {
    expect(await holdfast(kit, ['watch'])).toMatchObject({ code: 2, errors: expect.stringContaining('--json') });
    const tooOften = await holdfast(kit, ['watch', '--json', '--every', '10ms']);
    expect(tooOften).toMatchObject({ code: 2, errors: expect.stringContaining('--every') });
  });
});
