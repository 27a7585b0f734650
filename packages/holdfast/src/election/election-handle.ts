import { checkAcquire, checkSignal } from '../acquire-options.js';
import type { Backend } from '../backend.js';
import { fairPolicy } from '../exclusive/policy.js';
import { checkFunction, checkId, checkKeys } from '../options.js';
import type { LockHost } from '../primitives/acquisition.js';
import type { CampaignOptions, Election, Leader, Leadership, ObserveOptions } from '../primitives/election.js';
import { methodOf } from '../reports/site.js';
import { settling } from '../scopes/settling.js';
import { refuseSurplus } from '../surplus.js';
import { ElectionOperations } from '../primitives/election-operations.js';
import { FencedLockHandle } from '../primitives/fenced-handle.js';
import type { FencedHold } from '../primitives/fenced-lock.js';
import type { ClientParts } from '../client-parts.js';
import { query } from '../tenure/query.js';
import { LeadershipHandle } from './leadership.js';
import { Observation } from './observation.js';

/** What leads in a campaign with a function. */
type Rule<T> = (leadership: Leadership) => T | PromiseLike<T>;

const campaignKeys = ['id', 'waitMs', 'signal'];
const observeKeys = ['signal'];

/** See {@link Election}. Each campaign is a call for the lock of its own, which asks Redis itself: observers see every leader there, with its own token. */
export class ElectionHandle implements Election {
  readonly name: string;
  readonly #host: LockHost;
  readonly #backend: Backend;
  readonly #operations: ElectionOperations;
  readonly #leading = new Set<LeadershipHandle>();

  /** @throws TypeError or RangeError when there can be no election of that name. */
  constructor(host: LockHost, backend: Backend, name: string) {
    this.#operations = new ElectionOperations(name, backend);
    this.name = name;
    this.#host = host;
    this.#backend = backend;
  }

  campaign<T>(fn: Rule<T>): Promise<T>;
  campaign<T>(options: CampaignOptions, fn: Rule<T>): Promise<T>;
  campaign(options?: CampaignOptions): Promise<Leadership>;
  async campaign<T>(first: CampaignOptions | Rule<T> = {}, second?: Rule<T>): Promise<T | Leadership> {
    if (typeof first === 'function') refuseSurplus([second], 'campaign', 'options before the function');
    const [options, fn] = typeof first === 'function' ? [{}, first] : [first, second];
    checkKeys('campaign', options, campaignKeys);
    const { id, waitMs, signal } = options;
    const patience = { waitMs, signal };
    checkAcquire(patience, 'campaign');
    const parts = this.#partsOf(id === undefined ? undefined : checkId('campaign: id', id));
    if (fn !== undefined) checkFunction('campaign', fn);
    const host = { ...this.#host, parts, entry: methodOf(this, 'campaign') };
    const lock = new FencedLockHandle(host, this.#operations, undefined, fairPolicy);
    if (fn === undefined) return this.#leadAlone(await lock.acquire(patience));
    return this.#leadDuring(fn, (section) => lock.withLock(patience, section));
  }

  observe(options: ObserveOptions = {}): AsyncIterableIterator<Leader | undefined> {
    checkKeys('observe', options, observeKeys);
    const { signal } = options;
    checkSignal('observe', signal);
    const home = { parts: this.#backend.parts, registry: this.#host.registry };
    return new Observation(home, this.#operations, signal);
  }

  async resign(): Promise<boolean> {
    const leading = [...this.#leading].filter(({ leads }) => leads);
    await Promise.all(leading.map((leadership) => leadership.resign()));
    return leading.length > 0;
  }

  /** Of a candidate that observers know by an id. */
  #partsOf(id: string | undefined): ClientParts {
    const { parts, inLine } = this.#backend;
    if (id === undefined) return inLine;
    return this.#backend.partsWith({ wakeup: inLine.wakeup, tenureId: (owner) => parts.tenureId(owner ?? id) });
  }

  #leadAlone(hold: FencedHold): Leadership {
    const leadership = this.#lead(hold, async () => {
      try {
        await hold.release();
      } finally {
        this.#over(leadership);
      }
    });
    // A hold that is lost has nobody who gives it back.
    const { signal } = hold;
    if (signal.aborted) this.#over(leadership);
    else signal.addEventListener('abort', () => this.#over(leadership), { once: true });
    return leadership;
  }

  async #leadDuring<T>(
    fn: Rule<T>,
    run: (section: (hold: FencedHold) => T | PromiseLike<T>) => Promise<T>,
  ): Promise<T> {
    let leadership: LeadershipHandle | undefined;
    try {
      return await run(async (hold) => {
        // Not when that is done: `fn` may wait for its own resignation.
        leadership = this.#lead(hold, () => Promise.resolve());
        try {
          return await settling(fn(leadership));
        } finally {
          // What it has left behind hears of it before another leads.
          void leadership.resign();
        }
      });
    } finally {
      if (leadership !== undefined) this.#over(leadership);
    }
  }

  #lead(hold: FencedHold, giveBack: () => Promise<void>): LeadershipHandle {
    const leadership = new LeadershipHandle(hold, giveBack);
    this.#leading.add(leadership);
    this.#tell();
    return leadership;
  }

  #over(leadership: LeadershipHandle): void {
    if (this.#leading.delete(leadership)) this.#tell();
  }

  /** Only a hint: who observes finds out by itself too. */
  #tell(): void {
    void query(this.#backend.parts, this.#operations, this.#operations.tell()).catch(() => undefined);
  }
}
