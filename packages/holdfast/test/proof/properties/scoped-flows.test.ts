/**
 * Random programs of nested and concurrent calls on one lock, from two clients on a real server, in the order that fast-check's scheduler
 * chooses, against a model of four lines: the open levels form a stack, whoever comes in descends from all that are in, and the hold
 * count in Redis is the height of the stack.
 *
 * HOLDFAST_PROOF=long runs many more programs; see `proofRuns` for how to repeat a failure.
 */
import { proofRuns, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type AcquireOptions, type LockClient, LockTimeoutError, LockUnavailableError, type RLock } from 'holdfast';
import { freshName, holdsInRedis, openClient } from '../../support/clients.js';
import { type Act, type Manner, programs } from './programs.js';

const kit = useRedis();
const { parameters, timeoutMs } = proofRuns({ quick: 150, long: 5_000 });

class Refused extends Error {}

/** One open level as the model sees it: where in the program it was taken. */
interface Place {
  readonly above: Place | undefined;
}

class Flows {
  readonly #open: Place[] = [];
  readonly #scheduler: fc.Scheduler;
  readonly #name: string;
  /** Calls under way: only while there are none the count in Redis must be that of the model. */
  #underWay = 0;
  entered = 0;
  /** Calls begun and sections left. */
  changes = 0;
  counted = 0;

  constructor(scheduler: fc.Scheduler, name: string) {
    this.#scheduler = scheduler;
    this.#name = name;
  }

  async run(client: LockClient, acts: readonly Act[], above?: Place): Promise<void> {
    const lock = client.getLock(this.#name);
    for (const act of acts) await this.#act(client, lock, act, above);
  }

  async #act(client: LockClient, lock: RLock, act: Act, above: Place | undefined): Promise<void> {
    if (act.do === 'pause') return this.#pause();
    if (act.do === 'count') return this.#count();
    if (act.do === 'both') {
      await Promise.all(act.branches.map((branch) => this.run(client, branch, above)));
      return;
    }
    const place = { above };
    const options = this.#options(act.manner);
    const body = () => this.#inside(place, () => this.run(client, act.body, place));
    const take = { section: sectioned, hold: held, thread: threaded }[act.do];
    this.#underWay++;
    this.changes++;
    try {
      await take({ client, lock, once: act.manner.patience === 'once', options, body });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    } finally {
      this.#underWay--;
    }
  }

  async #inside(place: Place, body: () => Promise<void>): Promise<void> {
    for (const open of this.#open) expect(isAbove(open, place)).toBe(true);
    this.#open.push(place);
    this.#underWay--;
    this.entered++;
    try {
      await this.#pause();
      await body();
      await this.#pause();
    } finally {
      this.#underWay++;
      this.changes++;
      this.#open.splice(this.#open.indexOf(place), 1);
    }
  }

  /** Soon, not at once: a re-entry that was given up half-way is undone behind the answer. */
  async #count(): Promise<void> {
    const { changes } = this;
    if (this.#underWay > 0) return;
    await waitUntil(
      async () => {
        const holds = await holdsInRedis(kit, this.#name);
        return this.changes !== changes || holds === this.#open.length;
      },
      { what: `${this.#open.length} holds in Redis`, timeoutMs: 2_000 },
    );
    if (this.changes === changes) this.counted++;
  }

  #pause(): Promise<void> {
    return this.#scheduler.schedule(Promise.resolve());
  }

  #options({ patience, lease }: Manner): AcquireOptions {
    const abort = new AbortController();
    if (patience === 'abort') void this.#pause().then(() => abort.abort(new Refused()));
    return {
      ...(lease === 'fixed' ? { leaseMs: 20_000 } : {}),
      ...(patience === 'abort' ? { signal: abort.signal } : {}),
      ...(patience === 'brief' ? { waitMs: 3 } : {}),
    };
  }
}

interface Taking {
  readonly client: LockClient;
  readonly lock: RLock;
  readonly once: boolean;
  readonly options: AcquireOptions;
  readonly body: () => Promise<void>;
}

async function sectioned({ lock, once, options, body }: Taking): Promise<void> {
  await (once ? lock.tryWithLock(options, body) : lock.withLock(options, body));
}

async function held({ lock, once, options, body }: Taking): Promise<void> {
  const hold = once ? await lock.tryAcquire(options) : await lock.acquire(options);
  if (hold === null) return;
  try {
    await hold.run(body);
  } finally {
    await hold.release();
  }
}

async function threaded({ client, lock, once, options, body }: Taking): Promise<void> {
  const { waitMs, signal, leaseMs } = options;
  const limited = once || waitMs !== undefined;
  await client.run(async () => {
    if (limited) {
      if (!(await lock.tryLock(waitMs ?? 0, leaseMs))) return;
    } else {
      await lock.lock({ ...(leaseMs === undefined ? {} : { leaseMs }), ...(signal === undefined ? {} : { signal }) });
    }
    try {
      await body();
    } finally {
      await lock.unlock();
    }
  });
}

function isAbove(open: Place, place: Place): boolean {
  for (let { above } = place; above !== undefined; above = above.above) if (above === open) return true;
  return false;
}

function isRefusal(error: unknown): boolean {
  return error instanceof Refused || error instanceof LockTimeoutError || error instanceof LockUnavailableError;
}

describe('whatever flows do with one lock, nested, side by side and from two processes', () => {
  it(
    'only descendants come in together, the count is the depth, and the lock is free at the end',
    async () => {
      const [ours, others] = [openClient(kit), openClient(kit)];
      const total = { entered: 0, counted: 0 };
      await fc.assert(
        fc.asyncProperty(programs, fc.scheduler(), async (program, scheduler) => {
          const name = freshName();
          const flows = new Flows(scheduler, name);
          await scheduler.waitFor(
            Promise.all([
              ...program.ours.map((acts) => flows.run(ours, acts)),
              ...program.others.map((acts) => flows.run(others, acts)),
            ]),
          );
          total.entered += flows.entered;
          total.counted += flows.counted;
          const keys = [name, `holdfast_queue:{${name}}`, `holdfast_fresh:{${name}}`];
          await waitUntil(async () => (await kit.admin.exists(...keys)) === 0, { what: 'the lock is free' });
        }),
        parameters,
      );
      if (parameters.path === undefined) {
        expect(total.entered).toBeGreaterThan(parameters.numRuns);
        expect(total.counted).toBeGreaterThan(parameters.numRuns / 10);
      }
      for (const { acquisitions } of [ours.stats(), others.stats()]) {
        expect(acquisitions.tried).toBe(acquisitions.won + acquisitions.refused + acquisitions.failed);
      }
    },
    timeoutMs,
  );
});
