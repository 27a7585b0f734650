import { type RedisKit, waitUntil } from '@holdfast/testkit';
import { expect } from '@jest/globals';
import type { Hold, LockClient } from 'holdfast';
import { openClient } from './clients.js';

/** No neighbour asks again by itself while a test runs: what reaches it was sent to its name. */
const patient = { reaskMs: 200_000, claimLeaseMs: 300_000, watchdogTimeoutMs: 600_000 };

/** Two bystanders: one holds locks, the other waits for them. */
export interface Bystanders {
  readonly holder: LockClient;
  readonly waiter: LockClient;
}

export function bystanders(kit: RedisKit): Bystanders {
  return { holder: openClient(kit, patient), waiter: openClient(kit, patient) };
}

/**
 * A lock that is held and waited for while another one, whose name nearly collides with its own, is under test: whatever is done with that
 * one, this hold stays, its waiter is not served, and it goes to the waiter when it is given back.
 */
export class Neighbour {
  readonly name: string;
  readonly #hold: Hold;
  readonly #next: Promise<Hold>;
  #served = false;

  private constructor(name: string, hold: Hold, next: Promise<Hold>) {
    this.name = name;
    this.#hold = hold;
    this.#next = next;
    next.then(
      () => (this.#served = true),
      () => undefined, // told by `undisturbed`
    );
  }

  static async of({ holder, waiter }: Bystanders, name: string): Promise<Neighbour> {
    const hold = await holder.getLock(name).acquire();
    const next = waiter.getLock(name).acquire();
    const queued = async () => (await holder.inspect(name)).queue.length === 1;
    await waitUntil(queued, { what: `${name} to be waited for` });
    return new Neighbour(name, hold, next);
  }

  /** Gives it back, and sees that it was as it had been until then. */
  async undisturbed(): Promise<void> {
    const { name } = this;
    expect({ name, state: this.#hold.state, served: this.#served }).toEqual({ name, state: 'held', served: false });
    await this.#hold.release();
    await (await this.#next).release();
  }
}
