import type { Model } from './models.js';
import type { Action } from './operation.js';

/** An owner and what it has open. */
interface Owner {
  readonly name: string;
  readonly reads: number;
  readonly writes: number;
}

/** Those who have the lock, in order of the alphabet. None: it is free. */
export type Sharing = readonly Owner[];

/**
 * Readers together or a writer alone, each as often as it likes. A writer may read inside, and goes on reading when it has given the writing
 * back; a reader does not become a writer.
 */
export const readWrite: Model<Sharing> = {
  name: 'read-write',
  initial: [],
  step(owners, action) {
    switch (action.kind) {
      case 'acquire':
        return isAdmitted(owners, action)
          ? withOwner(owners, acquired(owners, action))
          : unless(action.certain, owners);
      case 'release': {
        const left = released(owners, action);
        return left === undefined ? unless(action.certain, owners) : withOwner(owners, left);
      }
      case 'expire':
        return owners.some(({ name }) => name === action.owner) ? without(owners, action.owner) : owners;
      case 'force':
        return owners.length > 0 && isTaken(owners, action) ? [] : owners;
    }
  },
  key: (owners) => owners.map(({ name, reads, writes }) => `${name} ${reads} ${writes}`).join(),
};

type Of<K extends Action['kind']> = Extract<Action, { kind: K }>;

/** What is not certain to have an effect has none. */
const unless = (certain: boolean, owners: Sharing): Sharing | undefined => (certain ? undefined : owners);

const ownerIn = (owners: Sharing, name: string): Owner =>
  owners.find((owner) => owner.name === name) ?? { name, reads: 0, writes: 0 };

const without = (owners: Sharing, name: string): Sharing => owners.filter((owner) => owner.name !== name);

function withOwner(owners: Sharing, owner: Owner): Sharing {
  const others = without(owners, owner.name);
  if (owner.reads + owner.writes === 0) return others;
  return [...others, owner].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isAdmitted(owners: Sharing, { owner, depth, side }: Of<'acquire'>): boolean {
  const { reads, writes } = ownerIn(owners, owner);
  if (reads + writes !== depth - 1) return false;
  const others = without(owners, owner);
  if (side === 'read') return others.every((other) => other.writes === 0);
  return others.length === 0 && (reads === 0 || writes > 0);
}

function acquired(owners: Sharing, { owner, side }: Of<'acquire'>): Owner {
  const { name, reads, writes } = ownerIn(owners, owner);
  return side === 'read' ? { name, reads: reads + 1, writes } : { name, reads, writes: writes + 1 };
}

/** Undefined: its owner has none open of that side. */
function released(owners: Sharing, { owner, side }: Of<'release'>): Owner | undefined {
  const { name, reads, writes } = ownerIn(owners, owner);
  if (side === 'read') return reads === 0 ? undefined : { name, reads: reads - 1, writes };
  return writes === 0 ? undefined : { name, reads, writes: writes - 1 };
}

/** Are those who have it of the side from which it is taken? Without one, it is taken from both. */
function isTaken(owners: Sharing, { from }: Of<'force'>): boolean {
  return from === undefined || (from === 'writer') === owners.some(({ writes }) => writes > 0);
}
