/** The model of the waiting line against what the clients and Redis say. */
import { type RedisKit, waitUntil } from '@holdfast/testkit';
import type { LockClient, RLock } from 'holdfast';
import { holdsInRedis } from '../../support/clients.js';
import { type Place, placesFrom, type Process } from './calls.js';
import type { LineModel } from './line-model.js';

const SETTLED_WITHIN_MS = 5_000;

export class Comparison {
  /** Questions about scope and count that had the right answer. */
  looks = 0;
  readonly #kit: RedisKit;
  readonly #name: string;
  readonly #model: LineModel;

  constructor(kit: RedisKit, name: string, model: LineModel) {
    this.#kit = kit;
    this.#name = name;
    this.#model = model;
  }

  /** Waits until all that follows from what was done has happened, and compares states and the count. */
  async settle(): Promise<void> {
    const model = this.#model;
    let missing: string | undefined;
    const settled = () => {
      missing = model.failure === undefined ? model.unsettled() : undefined;
      return missing === undefined;
    };
    await waitUntil(settled, { what: '', timeoutMs: SETTLED_WITHIN_MS, everyMs: 1 }).catch(() =>
      model.fail(`did not happen: ${missing}`),
    );
    for (const call of model.believers) {
      if (call.readState?.() === 'lost' && call.state === 'inside')
        model.fail(`it says that it is lost: ${call.title}`);
    }
    await this.#changedOr(async () => model.counts.includes(await holdsInRedis(this.#kit, this.#name)), 'the count');
  }

  /** What a flow at `place` is told of itself. */
  async look(client: LockClient, process: Process, place: Place | undefined): Promise<void> {
    if (this.#model.unsettled() !== undefined) return;
    const lock = client.getLock(this.#name);
    const inside = placesFrom(place).some(({ owned }) => owned.some(({ state }) => state === 'inside'));
    const count = inside ? process.stack.length : 0;
    const right = async () => (await lock.isHeldByCurrentScope()) === inside && (await lock.getHoldCount()) === count;
    if ((await this.#changedOr(right, 'what a flow is told of its count')) === 'right') this.looks++;
  }

  /** Soon, not at once: a re-entry that was given up half-way is undone behind the answer. */
  async #changedOr(isRight: () => Promise<boolean>, what: string): Promise<'changed' | 'right'> {
    const model = this.#model;
    const { changes } = model;
    const changed = () => model.changes !== changes || model.failure !== undefined;
    await waitUntil(async () => changed() || (await isRight()) || changed(), {
      what: '',
      timeoutMs: SETTLED_WITHIN_MS,
      everyMs: 1,
    }).catch(() => model.fail(`${what} is not ${model.counts.join(' or ')}`));
    return changed() ? 'changed' : 'right';
  }
}

/** A lock taken by `lock()` cannot say that it is lost; an event of this very turn may have been its. */
export async function enterAsFound(
  lock: RLock,
  process: Process,
  enter: (found: 'held' | 'lost') => void,
): Promise<void> {
  for (let losses = process.lostInThisTurn ? -1 : process.losses; losses !== process.losses; ) {
    ({ losses } = process);
    if (await lock.isHeldByCurrentScope()) continue;
    enter('lost');
    return;
  }
  // At once: a loss on its way may come in the very next tick.
  enter('held');
}
