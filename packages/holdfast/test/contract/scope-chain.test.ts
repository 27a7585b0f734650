import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import { createLockClient, type Hold, LockClient } from 'holdfast';
import { currentScope, openScope, Scope, within } from '../../src/scopes/scope.js';
import { runScope } from '../../src/scopes/scope-end.js';
import { freshName, openClient } from '../support/clients.js';
import { Gate, turns } from '../support/room.js';

const kit = useRedis();

async function collect(): Promise<void> {
  for (let times = 0; times < 4; times++) {
    await turns();
    gc?.();
  }
}

/** Each section takes the next lock before it ends; the last one stays. Resolves when it is reached. */
async function handOverHand(client: LockClient, steps: number, visit: (hold: Hold) => void, stay: Gate): Promise<void> {
  const arrived = new Gate();
  const step = async (left: number, inside: Gate): Promise<void> => {
    await client.getLock(freshName()).withLock(async (hold) => {
      visit(hold);
      inside.open();
      if (left === 0) {
        arrived.open();
        return stay.opened;
      }
      const next = new Gate();
      void step(left - 1, next);
      return next.opened;
    });
  };
  void step(steps, new Gate());
  return arrived.opened;
}

describe('a chain of sections of which each starts the next before it ends', () => {
  it('keeps none alive that has ended, but for a few', async () => {
    const client = openClient(kit);
    const kept: WeakRef<AbortSignal>[] = [];
    const stay = new Gate();
    await handOverHand(client, 200, ({ signal }) => kept.push(new WeakRef(signal)), stay);
    await collect();
    const alive = kept.filter((ref) => ref.deref() !== undefined).length;
    stay.open();
    expect(alive).toBeLessThan(10);
  });

  it('keeps none alive that has ended, but for a few, also where none of them asks for a lock', async () => {
    const client = {};
    const kept: WeakRef<object>[] = [];
    const stay = new Gate();
    const step = (left: number, inside: Gate): void => {
      const scope = openScope('thread', client);
      kept.push(new WeakRef(scope));
      const work = async () => {
        inside.open();
        await turns();
        if (left === 0) return stay.opened;
        const next = new Gate();
        step(left - 1, next);
        return next.opened;
      };
      void runScope(scope, work, 'abandon');
    };
    step(200, new Gate());
    await waitUntil(() => kept.length > 200, { what: 'the last of the chain' });
    await collect();
    const alive = kept.filter((ref) => ref.deref() !== undefined).length;
    stay.open();
    expect(alive).toBeLessThan(10);
  });

  it('costs a call in it as many steps however long it is', () => {
    const client = {};
    const steps = jest.spyOn(Scope.prototype, 'ended', 'get');
    try {
      const costs: number[] = [];
      const ended: (() => void)[] = [];
      const step = (left: number): void => {
        const scope = openScope('section', client);
        within(scope, () => {
          // The one before ends when the next has begun.
          ended.pop()?.();
          ended.push(() => scope.end());
          steps.mockClear();
          let all = 0;
          for (let around = currentScope(client); around !== undefined; around = around.parent) all++;
          expect(all).toBe(1);
          costs.push(steps.mock.calls.length);
          if (left > 0) step(left - 1);
        });
      };
      step(1_000);
      expect(Math.max(...costs.slice(10))).toBe(costs[9]);
    } finally {
      steps.mockRestore();
    }
  });

  it('is left by calls of a client whose scope has ended, also below one of another client that lives', () => {
    const [client, other] = [{}, {}];
    const outer = openScope('thread', client);
    within(outer, () => {
      const inner = openScope('thread', other);
      within(inner, () => {
        outer.end();
        expect([currentScope(client), currentScope(other)]).toEqual([undefined, inner]);
      });
    });
  });

  it('still knows the living far above it, past any number of ended ones', async () => {
    const client = {};
    const root = openScope('thread', client);
    let detached: Promise<boolean> | undefined;
    const down = (left: number): void => {
      if (left > 0) void runScope(openScope('section', client), () => down(left - 1), 'abandon');
      else detached = Promise.resolve().then(() => currentScope(client) === root);
    };
    within(root, () => down(1_000));
    expect(await detached).toBe(true);
  });
});

describe('two copies of the package in one process', () => {
  it('know the clients of each other by instanceof, and nothing else', async () => {
    jest.resetModules();
    const copy = await import('holdfast');
    const theirs = copy.createLockClient({ redis: kit.server.url });
    kit.cleanup(() => theirs.close());
    const mine = openClient(kit);
    expect(copy.LockClient).not.toBe(LockClient);
    for (const [client, type] of [
      [mine, copy.LockClient],
      [theirs, LockClient],
      [mine, LockClient],
    ] as const) {
      expect(client).toBeInstanceOf(type);
    }
    for (const other of [{}, null, 'client', mine.getLock(freshName()), { clientId: mine.clientId }]) {
      expect((other as unknown) instanceof LockClient).toBe(false);
    }
  });
});

describe('scopes of two copies of the package in one process', () => {
  it.each(['the first', 'the second'])(
    'are passed over by the other when they have ended (%s outside)',
    async (which) => {
      jest.resetModules();
      const copy = await import('holdfast');
      expect(copy.createLockClient).not.toBe(createLockClient);
      const theirs = copy.createLockClient({ redis: kit.server.url });
      kit.cleanup(() => theirs.close());
      const mine = openClient(kit);
      const [outer, inner] = which === 'the first' ? [mine, theirs] : [theirs, mine];
      const name = freshName();
      const ended = new Gate();
      await outer.run(async () => {
        const lock = outer.getLock(name);
        await lock.lock();
        let detached: Promise<string> | undefined;
        await inner.run(async () => {
          detached = ended.opened.then(() => lock.withLock(() => 're-entered'));
          inner.run(() => undefined);
          await turns();
        });
        ended.open();
        expect(await detached).toBe('re-entered');
        await lock.unlock();
      });
    },
  );
});
