import { duration } from '../protocol/arguments.js';
import { type Granting, trustArgument } from '../queue/granting.js';

/** Which half of a read-write lock. */
export type Side = 'read' | 'write';

/** How a script that makes room in a read-write lock chooses and tells who comes in. */
export interface ReadWriteGranting extends Granting {
  /** A free lock goes to a writer whenever one waits, so that readers may starve. Otherwise the two take turns. */
  readonly writersFirst: boolean;
}

/** The arguments that all these scripts have in common. */
export function grantingArguments({ claimMs, trust, writersFirst }: ReadWriteGranting) {
  return {
    claimMs: duration('claimMs', claimMs, 1),
    trust: trustArgument({ trust }),
    writersFirst: writersFirst ? 1 : 0,
  };
}

/** The wire form of a {@link Side}. */
export function sideArgument(side: Side): 'r' | 'w' {
  return side === 'read' ? 'r' : 'w';
}
