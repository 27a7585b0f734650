/** What the command line says of names that Redis has and that are not shown. */
import { clientKey } from '@holdfast/core';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, ListedLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { holdfast, Running } from './terminal.js';

const kit = useRedis();

const askAgain = 'some clients have a name that is not shown: ask again';
const tooMany = 'some clients have a name that is not shown: no more than 200 are looked up at once';
const said = (message: string) => ({ error: { code: 'PARTIAL_VIEW', message } });

/** What `watch --json` says on the standard error before it has looked twice. */
async function twoLooks(prefix: string): Promise<string> {
  const watch = new Running(kit, ['watch', '--prefix', prefix, '--json', '--every', '100ms']);
  await waitUntil(() => watch.json.length > 0, { what: 'its first look' });
  const hold = await openClient(kit, { prefix }).getLock('later').acquire();
  await waitUntil(() => watch.json.length > 1, { what: 'its second look' });
  watch.tell('SIGTERM');
  await hold.release();
  return (await watch.ended).errors;
}

describe('that a client has a name which is not shown is said', () => {
  /** Two clients, of which one has a lock and a permit, and the other waits for both. Names of theirs, which nobody can read, come with `say`. */
  async function scene() {
    const prefix = `${freshName()}:`;
    const [holder, waiter] = [
      openClient(kit, { prefix, clientName: 'orders' }),
      openClient(kit, { prefix, clientName: 'bills' }),
    ];
    const [lock, pool] = [holder.getLock('lock'), holder.getSemaphore('pool', { permits: 1 })];
    const holds = [await lock.acquire(), await pool.acquire()] as const;
    const waits = [waiter.getLock('lock').acquire(), waiter.getSemaphore('pool').acquire()] as const;
    const areThere = async () =>
      (await holder.inspect('lock')).queue.length + (await pool.inspect()).queue.length === 2;
    await waitUntil(areThere, { what: 'it waits for both' });
    const end = async () => {
      // One may have been taken by `unlock`.
      for (const hold of [...holds, ...waits]) await (await (hold as Promise<Hold>)).release().catch(() => undefined);
      await kit.admin.del(`${prefix}pool`);
    };
    // Unlike a server that is late, this is not over when the command looks once more.
    const say = (who: 'holder' | 'waiter') =>
      kit.admin.set(clientKey({ holder, waiter }[who].clientId), 'no card', 'PX', 60_000);
    const errorsOf = async (...args: string[]) => (await holdfast(kit, [...args, '--prefix', prefix, '--json'])).errors;
    return { prefix, say, errorsOf, end };
  }

  it.each([
    ['ls', 'holder', ['ls']],
    ['ls of semaphores', 'waiter', ['ls', '--kind', 'semaphore']],
    ['graph', 'waiter', ['graph']],
    ['inspect', 'holder', ['inspect', 'lock']],
    ['unlock', 'holder', ['unlock', 'lock', '--yes']],
    ['inspect of a semaphore', 'waiter', ['inspect', 'pool']],
  ] as const)('by %s, of a %s, and nothing where it has none', async (_, who, look) => {
    const { say, errorsOf, end } = await scene();
    const without = look[0] === 'unlock' ? '' : await errorsOf(...look);
    await say(who);
    const errors = await errorsOf(...look);
    await end();
    expect({ without, errors: JSON.parse(errors) }).toEqual({ without: '', errors: said(askAgain) });
  });

  it('by watch at its first look, and at no other', async () => {
    const { prefix, say, end } = await scene();
    const without = await twoLooks(prefix);
    await say('holder');
    const errors = await twoLooks(prefix);
    await end();
    expect({ without, errors: JSON.parse(errors) }).toEqual({ without: '', errors: said(askAgain) });
  });
});

it('a list says that it has the names of no more than 200 clients where there are more', async () => {
  const prefix = `${freshName()}:`;
  const card = JSON.stringify({ name: 'orders', host: 'here', pid: 1, meta: {}, epochMs: Date.now() });
  const hold = async () => {
    const client = freshName();
    await kit.admin.hset(`${prefix}${client}`, `${client}:1.${client}.0`, 1, 'seq', 1);
    await kit.admin.pexpire(`${prefix}${client}`, 60_000);
    await kit.admin.set(clientKey(client), card, 'PX', 60_000);
  };
  const look = () => holdfast(kit, ['ls', '--prefix', prefix, '--json']);
  await Promise.all(Array.from({ length: 200 }, hold));
  const ofAll = await look();
  await hold();
  const ofMore = await look();
  const named = ofMore.json.filter((lock) => (lock as ListedLock).owner.client?.name === 'orders');
  expect(ofAll.errors).toBe('');
  expect([ofMore.json.length, named.length, JSON.parse(ofMore.errors)]).toEqual([201, 200, said(tooMany)]);
});
