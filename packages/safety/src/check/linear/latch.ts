import type { Model } from './models.js';
import type { LatchAction } from './operation.js';

/** A round, or an open latch. */
export interface LatchState {
  /** 0: it is open. */
  readonly left: number;
  /** Who has counted by name in this round, in order of the alphabet. */
  readonly counted: readonly string[];
}

const open: LatchState = { left: 0, counted: [] };

/** A round begins when the latch is open; each call counts once, each name once a round; who sees it open does so when nothing is left. */
export const latch: Model<LatchState, LatchAction> = {
  name: 'latch',
  initial: open,
  step(state, action) {
    switch (action.kind) {
      case 'set': {
        const begins = state.left === 0;
        if (action.begun !== undefined && action.begun !== begins) return undefined;
        return begins ? { left: action.count, counted: [] } : state;
      }
      case 'count': {
        const after = counted(state, action.by);
        return action.left === undefined || action.left === after.left ? after : undefined;
      }
      case 'see':
        return state.left === 0 ? state : undefined;
    }
  },
  key: ({ left, counted: names }) => `${left} left, counted by ${names.join()}`,
};

function counted(state: LatchState, by: string | undefined): LatchState {
  if (state.left === 0 || (by !== undefined && state.counted.includes(by))) return state;
  if (state.left === 1) return open;
  return { left: state.left - 1, counted: by === undefined ? state.counted : [...state.counted, by].sort() };
}
