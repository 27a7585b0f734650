import { driveTime, useRedis } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import type { LockClient, LockClientEvents, RLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { Gate, turns } from '../support/room.js';

const kit = useRedis();
const LONG_MS = 5_000;

type SelfWait = LockClientEvents['self-wait'][0];

const setUp = () => {
  const time = driveTime(kit);
  const client = openClient(kit);
  const name = freshName();
  const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
  kit.cleanup(() => warn.mockRestore());
  return { time, client, name, lock: client.getLock(name), warn };
};

function listen(client: LockClient): SelfWait[] {
  const events: SelfWait[] = [];
  client.on('self-wait', (event) => events.push(event));
  return events;
}

/** Gives the call up when the test has seen enough. */
async function unanswered(
  start: (signal: AbortSignal) => Promise<unknown>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const giveUp = new AbortController();
  const call = start(giveUp.signal).catch((error: unknown) => error);
  await meanwhile();
  giveUp.abort();
  await call;
}

const holdIt = (lock: RLock): Promise<unknown> => lock.lock();
const holdByTrying = (lock: RLock): Promise<unknown> => lock.tryLock();
const holdAsObject = (lock: RLock): Promise<unknown> => lock.tryAcquire();
const waitForIt = (lock: RLock, signal: AbortSignal): Promise<unknown> => lock.lock({ signal });
const waitInSection = (lock: RLock, signal: AbortSignal): Promise<unknown> =>
  lock.withLock({ signal }, () => undefined);

describe('a call that waits for the code around it', () => {
  it.each([
    [holdIt, waitForIt],
    [holdByTrying, waitInSection],
    [holdAsObject, waitForIt],
  ])('is warned of with both sites, though nobody listens: %p, %p', async (hold, wait) => {
    const { time, lock, name, warn } = setUp();
    await hold(lock);
    await unanswered(
      (signal) => wait(lock, signal),
      () => time.advance(LONG_MS),
    );
    const sites = new RegExp(`${wait.name} .*self-wait\\.test\\.ts[^]*${hold.name} .*self-wait\\.test\\.ts`);
    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining(`lock "${name}"`),
        expect.objectContaining({ code: 'HOLDFAST_SELF_WAIT', detail: expect.stringMatching(sites) }),
      ],
    ]);
  });

  it('is warned of without the site that holds, when the client had made a thousand calls before and nobody listened', async () => {
    const { time, client, lock, warn } = setUp();
    const busy = client.getLock(freshName());
    await busy.lock();
    for (let calls = 1; calls < 1_000; calls++) await busy.tryLock();
    await holdIt(lock);
    await unanswered(
      (signal) => waitForIt(lock, signal),
      () => time.advance(LONG_MS),
    );
    const known = /waitForIt .*self-wait\.test\.ts[^]*\n {4}not noted: while the event "self-wait" has a listener/;
    expect(warn.mock.calls).toEqual([
      [expect.any(String), expect.objectContaining({ detail: expect.stringMatching(known) })],
    ]);
  });

  it('is an event each time, with both sites, and a warning once', async () => {
    const { time, client, lock, name, warn } = setUp();
    const events = listen(client);
    await holdIt(lock);
    for (let times = 0; times < 2; times++) {
      await unanswered(
        (signal) => waitForIt(lock, signal),
        () => time.advance(LONG_MS),
      );
    }
    const event = {
      name,
      site: expect.stringContaining('waitForIt'),
      holderSite: expect.stringContaining('holdIt'),
    };
    expect(events).toEqual([event, event]);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('is looked for ten times a second at most, however many calls wait', async () => {
    const { time, client, lock } = setUp();
    const looks: number[] = [];
    client.on('self-wait', () => looks.push(time.now()));
    await lock.lock();
    const giveUp = new AbortController();
    const calls: Promise<unknown>[] = [];
    for (let count = 0; count < 40; count++) {
      calls.push(failureOf(lock.lock({ signal: giveUp.signal })));
      await time.advance(5);
    }
    await time.advance(LONG_MS);
    giveUp.abort();
    await Promise.all(calls);
    expect(looks).toHaveLength(40);
    expect(new Set(looks).size).toBeLessThanOrEqual(4);
  });

  it('is no more told of when a listener has ended it', async () => {
    const { time, client, lock } = setUp();
    const giveUp = new AbortController();
    const events: string[] = [];
    client.on('self-wait', ({ name }) => {
      events.push(name);
      giveUp.abort();
    });
    await lock.lock();
    const { signal } = giveUp;
    const calls = [lock.lock({ signal }), lock.lock({ signal })].map((call) => call.catch(() => 'ended'));
    await time.advance(LONG_MS);
    expect(await Promise.all(calls)).toEqual(['ended', 'ended']);
    expect(events).toEqual([lock.name]);
  });

  it('is told of in a withLock too, when an explicit owner keeps it from re-entering', async () => {
    const { time, client, lock, name } = setUp();
    const events = listen(client);
    const owned = client.getLock(name, { owner: 'worker-7' });
    await lock.withLock(() =>
      unanswered(
        (signal) => owned.lock({ signal }),
        () => time.advance(LONG_MS),
      ),
    );
    await owned.withLock(() =>
      unanswered(
        (signal) => lock.withLock({ signal }, () => undefined),
        () => time.advance(LONG_MS),
      ),
    );
    expect(events).toHaveLength(2);
  });
});

describe('no alarm is raised', () => {
  it('for a wait with an end', async () => {
    const { time, client, lock, warn } = setUp();
    const events = listen(client);
    await lock.lock();
    const calls = [
      lock.tryLock(LONG_MS),
      lock.tryAcquire({ waitMs: LONG_MS }),
      lock.withLock({ waitMs: LONG_MS }, () => undefined).catch(() => undefined),
    ];
    await time.advance(2 * LONG_MS);
    expect(await Promise.all(calls)).toEqual([false, null, undefined]);
    expect([events, warn.mock.calls]).toEqual([[], []]);
  });

  it('for a wait behind a withLock that the call is outside of, such as that of another request', async () => {
    const { time, client, lock, warn } = setUp();
    const events = listen(client);
    const [leave, inside] = [new Gate(), new Gate()];
    const request = (): Promise<void> =>
      lock.withLock(() => {
        inside.open();
        return leave.opened;
      });
    const first = request();
    await inside.opened;
    const second = request();
    await time.advance(LONG_MS);
    leave.open();
    await Promise.all([first, second]);
    expect([events, warn.mock.calls]).toEqual([[], []]);
  });

  it('for a branch that waits for another branch below one withLock', async () => {
    const { time, client, lock } = setUp();
    const events = listen(client);
    await lock.withLock(async () => {
      const [leave, inside] = [new Gate(), new Gate()];
      const one = lock.withLock(() => {
        inside.open();
        return leave.opened;
      });
      await inside.opened;
      const other = lock.withLock(() => undefined);
      await turns(3);
      await time.advance(LONG_MS);
      leave.open();
      await Promise.all([one, other]);
    });
    expect(events).toEqual([]);
  });
});
