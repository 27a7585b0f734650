/** Those who use the server of a world beside its clients: whose data has the name of a lock, whose version is newer, who forges messages. */

import type { MemoryServer } from '@holdfast/memory';
import type { OtherJudges } from '../judges/others.js';
import type { Scenario } from '../plan/scenario.js';
import { Forger } from './forger.js';
import { LaterVersion } from './later-version.js';
import { Stranger } from './stranger.js';
import type { World } from './world.js';

/** One of them. */
export interface Bystander {
  /** A server has executed a command; what is done now is done before anything else happens there. */
  executed(server: MemoryServer, request: readonly string[]): void;
}

/** Who is told what they do. */
export interface Audience {
  readonly others: OtherJudges;
  /** A lock is taken away from its owner. */
  taken(lock: string): void;
}

/** They begin with the world. */
export function bystandersOf({ others, class: kind }: Scenario, world: World, court: Audience): Bystander[] {
  return others.flatMap((plan): Bystander[] => {
    if (plan.kind === 'stranger') {
      const judge = court.others.strangers.find(({ name }) => name === plan.name);
      const takes = kind === 'taken' ? () => court.taken(plan.name) : undefined;
      return judge === undefined ? [] : [new Stranger(plan, world, { judge, takes })];
    }
    if (plan.kind !== 'later') return [];
    new Forger(plan, world, kind).begin();
    return [new LaterVersion(plan, world)];
  });
}
