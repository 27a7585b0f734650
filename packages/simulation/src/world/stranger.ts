/**
 * Somebody whose data has the name of a lock, now and then.
 *
 * It is put there when nothing is: at the first moment after its time at which the lock has no owner. Where locks may be taken away, it takes the place
 * of one at once. Then nobody but the stranger may touch it, until it takes it away again.
 */

import { lockKeys } from '@holdfast/core';
import type { Keyspace } from '@holdfast/memory';
import type { StrangerJudge } from '../judges/strangers.js';
import type { StrangerPlan, VisitPlan } from '../plan/scenario.js';
import { dataOf } from '../plan/strange-data.js';
import { Phase } from './timeline.js';
import type { World } from './world.js';

/** See the module comment. */
export class Stranger {
  readonly #key: string;
  readonly #world: World;
  readonly #judge: StrangerJudge;
  readonly #takes: (() => void) | undefined;
  /** Its time has come, and there is no room yet. */
  #due: VisitPlan | undefined;

  constructor(
    { name, visits }: StrangerPlan,
    world: World,
    { judge, takes }: { readonly judge: StrangerJudge; readonly takes: (() => void) | undefined },
  ) {
    this.#key = lockKeys(name).lock;
    this.#world = world;
    this.#judge = judge;
    this.#takes = takes;
    for (const visit of visits) {
      if (visit.at >= world.workMs) continue;
      world.timeline.at(visit.at, Phase.timer, undefined, () => {
        this.#due ??= visit;
        this.executed();
      });
    }
  }

  executed(): void {
    const { timeline, server, workMs } = this.#world;
    const visit = this.#due;
    const keys = server.master.keysOf();
    if (this.#takes !== undefined) this.#tidy(keys);
    if (visit === undefined || timeline.now >= workMs || this.#judge.standing !== undefined) return;
    if (keys.find(this.#key) !== undefined && this.#takes === undefined) return;
    this.#due = undefined;
    this.#takes?.();
    keys.put(this.#key, dataOf(visit.data));
    const until = Math.min(timeline.now + visit.forMs, workMs);
    this.#judge.put(timeline.now, server.master, { until, data: visit.data, takes: this.#takes !== undefined });
    timeline.at(until, Phase.timer, undefined, () => this.#goes());
  }

  /** What a failover has brought back is nobody's. A lock always has an end. */
  #tidy(keys: Keyspace): void {
    if (this.#judge.standing === undefined && keys.find(this.#key)?.endsAt === Number.POSITIVE_INFINITY)
      keys.remove(this.#key);
  }

  #goes(): void {
    const { timeline, server } = this.#world;
    const keys = server.master.keysOf();
    // A server that has lost its data has lost this as well.
    if (this.#judge.standing === undefined) this.#tidy(keys);
    if (this.#judge.standing === undefined) return;
    this.#judge.gone(timeline.now);
    keys.remove(this.#key);
  }
}
