import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { frameworks, type Handlers } from './web-frameworks.js';

const kit = useRedis();
const root = new URL('../../../../', import.meta.url);

/** Opens when it is told to. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Without the pool of `fetch`, whose timer outlives the test. */
async function answerOf(url: string, signal?: AbortSignal): Promise<{ status: number | undefined; text: string }> {
  const request = get(url, { agent: false, ...(signal && { signal }) });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}

describe.each(Object.entries(frameworks))('a request in %s', (framework, start) => {
  async function serve(handlers: (client: LockClient) => Handlers) {
    const client = openClient(kit);
    const leaks: string[] = [];
    client.on('leak', ({ name }) => leaks.push(name));
    const site = await start(client, handlers(client));
    kit.cleanup(() => site.close());
    const ask = (path: string, signal?: AbortSignal) => answerOf(site.url + path, signal);
    return { ask, leaks };
  }
  const free = (name: string) =>
    waitUntil(async () => (await holdsInRedis(kit, name)) === 0, { what: 'the lock to be free' });

  it('enters its own lock again, and no other request does', async () => {
    const name = freshName();
    const entered = gate();
    const { opened, open } = gate();
    const { ask } = await serve((client) => {
      const lock = client.getLock(name);
      return {
        '/first': async () => {
          await lock.lock();
          entered.open();
          await opened;
          const depth = await lock.withLock(() => lock.getHoldCount());
          await lock.unlock();
          return `depth ${depth}`;
        },
        '/second': async () => String(await lock.tryLock()),
      };
    });
    const first = ask('/first');
    await entered.opened;
    expect(await ask('/second')).toEqual({ status: 200, text: 'false' });
    open();
    expect(await first).toEqual({ status: 200, text: 'depth 2' });
    expect(await holdsInRedis(kit, name)).toBe(0);
  });

  it('that leaves a lock open is told of as a leak when it has ended', async () => {
    const name = freshName();
    const { ask, leaks } = await serve((client) => ({
      '/': async () => {
        await client.getLock(name).lock(60_000);
        return 'forgotten';
      },
    }));
    expect(await ask('/')).toEqual({ status: 200, text: 'forgotten' });
    await waitUntil(() => leaks.includes(name), { what: 'the leak to be told' });
  });

  it('whose handler throws is answered by the error handler, and leaves nothing locked', async () => {
    const name = freshName();
    const { ask, leaks } = await serve((client) => ({
      '/': () =>
        client.getLock(name).withLock(() => {
          throw new Error('out of stock');
        }),
    }));
    expect(await ask('/')).toEqual({ status: 500, text: 'handled: out of stock' });
    expect(await holdsInRedis(kit, name)).toBe(0);
    expect(leaks).toEqual([]);
  });

  it('whose caller hangs up keeps the lock of a withLock until its work is done, and then nothing', async () => {
    const name = freshName();
    const entered = gate();
    const { opened, open } = gate();
    const done = gate();
    const caller = new AbortController();
    const { ask, leaks } = await serve((client) => ({
      '/': async () => {
        await client.getLock(name).withLock(async () => {
          entered.open();
          await opened;
        });
        done.open();
        return 'nobody hears this';
      },
    }));
    const answer = failureOf(ask('/', caller.signal));
    await entered.opened;
    caller.abort();
    expect(await answer).toMatchObject({ name: 'AbortError' });
    expect(await holdsInRedis(kit, name)).toBe(1);
    open();
    await done.opened;
    await free(name);
    expect(leaks).toEqual([]);
  });

  // The scope of Hono's handler lasts until it has answered: there a handler passes on the signal of its request instead.
  if (framework !== 'hono')
    it('whose caller hangs up waits for no lock any more', async () => {
      const name = freshName();
      const other = await openClient(kit).getLock(name).acquire();
      const caller = new AbortController();
      const failed = gate();
      let failure: unknown;
      const { ask } = await serve((client) => ({
        '/': async () => {
          failure = await failureOf(client.getLock(name).lock());
          failed.open();
          return 'nobody hears this';
        },
      }));
      const answer = failureOf(ask('/', caller.signal));
      const waiting = async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === 1;
      await waitUntil(waiting, { what: 'the request to wait for the lock' });
      caller.abort();
      await Promise.all([answer, failed.opened]);
      expect(failure).toMatchObject({ code: 'LOCK_SCOPE' });
      await other.release();
      await free(name);
    });

  it('sends a stream that takes the lock while it is sent, and leaves nothing locked', async () => {
    const name = freshName();
    const { ask, leaks } = await serve((client) => ({
      '/': async () => {
        const lock = client.getLock(name);
        const parts = async function* () {
          for (const part of ['a', 'b', 'c']) yield await lock.withLock(() => part);
        };
        return Readable.from(parts());
      },
    }));
    expect(await ask('/')).toEqual({ status: 200, text: 'abc' });
    await free(name);
    expect(leaks).toEqual([]);
  });

  it('is shown by the page of the recipe with the middleware of the example', () => {
    const example = readFileSync(new URL(`examples/middleware/${framework}.ts`, root), 'utf8');
    const page = readFileSync(new URL(`docs/recipes/${framework}.md`, root), 'utf8');
    const middleware = example.slice(example.indexOf('export const')).replace('export ', '');
    expect(page).toContain(middleware);
  });
});
