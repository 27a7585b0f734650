/** An answer says how the lock was when the question was asked: a call that was made since has not had its attempt. */
import { direct, MemoryServer, type Network } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { memoryClients } from '../support/memory-clients.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();

/** A network on which answers to commands may be late. */
class Late implements Network {
  late = false;
  readonly #inner: Network;
  readonly #onTheWay: (() => void)[] = [];

  constructor(inner: Network) {
    this.#inner = inner;
  }

  dial: Network['dial'] = (address, listener) =>
    this.#inner.dial(address, {
      onOpen: () => listener.onOpen(),
      onFrame: (frame) => {
        if (this.late) this.#onTheWay.push(() => listener.onFrame(frame));
        else listener.onFrame(frame);
      },
      onClose: (error) => listener.onClose(error),
    });

  deliver(): void {
    this.late = false;
    for (const arrive of this.#onTheWay.splice(0)) arrive();
  }
}

it('a call for one attempt that was made after the question to which "busy" is the answer has one of its own', async () => {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => 1_700_000_000_000 + clock.now() });
  const network = new Late(direct(() => server));
  const open = memoryClients(clock, leaks);
  const client = open(network);
  const stranger = open(direct(() => server));
  expect(await client.getLock('another').tryLock()).toBe(true);
  const held = await stranger.getLock('order').acquire();
  network.late = true;
  const before = client.getLock('order').tryLock();
  await turns();
  await held.release();
  await clock.advance(1);
  const since = client.getLock('order').tryLock();
  await turns();
  network.deliver();
  expect([await before, await since]).toEqual([false, true]);
});
