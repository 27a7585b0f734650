import type { Desk } from './desk.js';
import { givenUp, object, section, type Taking, tried } from './taking.js';
import { workMs } from './working.js';

type Pattern<P> = (desk: Desk, plan: P) => Promise<void>;

/** What tasks do with a lock of any kind, which `take` takes. */
export function usual<P>(
  take: (desk: Desk, plan: P) => Taking,
): Readonly<Record<'section' | 'nested' | 'tried' | 'givenUp' | 'object', Pattern<P>>> {
  return {
    section: (desk, plan) => section(desk, take(desk, plan), workMs(desk)),
    nested: (desk, plan) =>
      section(desk, take(desk, plan), workMs(desk), (entries) =>
        section(desk, take(desk, plan), workMs(desk), undefined, entries),
      ),
    tried: (desk, plan) => tried(desk, take(desk, plan), desk.chance.below(60), workMs(desk)),
    givenUp: (desk, plan) => givenUp(desk, take(desk, plan), workMs(desk)),
    object: (desk, plan) => object(desk, take(desk, plan), workMs(desk)),
  };
}
