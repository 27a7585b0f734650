import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '@holdfast/testkit';
import { type Hold, type LockClient, LockLostError, LockUnavailableError } from 'holdfast';

const WAIT_MS = 3_000;
/** What a busy machine may add to a deadline. */
const SLACK_MS = 2_000;
/** Between two calls of a task: the servers have other work too. */
const PAUSE_MS = 10;

/** Two holds of one lock that both believed in it. */
export interface Overlap {
  readonly name: string;
  readonly earlier: Hold;
}

/** A light load: each client goes on taking each lock until it is stopped. What ought not to happen is written down. */
export class Load {
  /** Rejections that are none of ours, or none that a failover explains. */
  readonly strange: unknown[] = [];
  /** Calls that ended long after their deadline. */
  readonly late: string[] = [];
  readonly overlaps: Overlap[] = [];
  readonly #served = new Map<string, number>();
  readonly #inside = new Map<string, Hold>();
  readonly #tasks: Promise<void>[];
  #stopped = false;

  constructor(clients: readonly LockClient[], names: readonly string[]) {
    this.#tasks = clients.flatMap((client) => names.map((name) => this.#work(client, name)));
  }

  /** Resolves when each of these locks has been had `times` more. */
  async serves(names: readonly string[], times: number, timeoutMs = 20_000): Promise<void> {
    const before = names.map((name) => this.#times(name));
    await waitUntil(() => names.every((name, index) => this.#times(name) >= (before[index] ?? 0) + times), {
      what: `${names.length} locks to be had ${times} times more`,
      timeoutMs,
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#tasks);
  }

  #times(name: string): number {
    return this.#served.get(name) ?? 0;
  }

  async #work(client: LockClient, name: string): Promise<void> {
    while (!this.#stopped) {
      const startedAt = performance.now();
      try {
        const hold = await client.getLock(name).tryAcquire({ waitMs: WAIT_MS });
        const tookMs = performance.now() - startedAt;
        if (tookMs > WAIT_MS + SLACK_MS) this.late.push(`${name}: ${Math.round(tookMs)} ms`);
        if (hold !== null) await this.#use(hold);
      } catch (error) {
        if (!(error instanceof LockUnavailableError || error instanceof LockLostError)) this.strange.push(error);
      }
      await pause(PAUSE_MS);
    }
  }

  async #use(hold: Hold): Promise<void> {
    const { name } = hold;
    const earlier = this.#inside.get(name);
    if (earlier !== undefined && earlier.state !== 'lost') this.overlaps.push({ name, earlier });
    this.#inside.set(name, hold);
    await pause(PAUSE_MS);
    if (this.#inside.get(name) === hold) this.#inside.delete(name);
    this.#served.set(name, this.#times(name) + 1);
    await hold.release();
  }
}
