import { waitUntil } from '@holdfast/testkit';
import { type Hold, type LockClient, LockLostError, type LockLostReason } from 'holdfast';

/** What happened to a hold, with times of `performance.now()`. */
export class LossRecord {
  readonly #hold: Hold;
  readonly #events: { name: string; reason: LockLostReason }[] = [];
  abortedAt: number | undefined;

  constructor(client: LockClient, hold: Hold) {
    this.#hold = hold;
    client.on('lost', ({ name, error }) => this.#events.push({ name, reason: error.reason }));
    hold.signal.addEventListener('abort', () => {
      this.abortedAt = performance.now();
    });
  }

  /** When the signal was aborted. */
  async aborted(timeoutMs?: number): Promise<number> {
    const what = `the signal of ${this.#hold.name} to abort`;
    return waitUntil(() => this.abortedAt, { what, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  }

  /** Everything that tells of a loss, in one object. */
  async told(): Promise<object> {
    const thrown = thrownBy(() => this.#hold.assertHeld());
    return {
      state: this.#hold.state,
      remainingMs: this.#hold.remainingMs(),
      aborted: reasonOf(this.#hold.signal.reason),
      thrown: reasonOf(thrown),
      events: this.#events,
      firstRelease: reasonOf(await this.#hold.release().catch((error: unknown) => error)),
      secondRelease: await this.#hold.release(),
    };
  }
}

/** What {@link LossRecord.told} gives when the hold was lost for that reason. */
export function lostFor(name: string, reason: LockLostReason): object {
  return {
    state: 'lost',
    remainingMs: 0,
    aborted: reason,
    thrown: reason,
    events: [{ name, reason }],
    firstRelease: reason,
    secondRelease: undefined,
  };
}

function reasonOf(error: unknown): unknown {
  return error instanceof LockLostError ? error.reason : error;
}

function thrownBy(fn: () => void): unknown {
  try {
    fn();
  } catch (error) {
    return error;
  }
  return undefined;
}
