/**
 * Sequential specifications of the lock, one operation at a time.
 *
 * Each is deterministic. What is not certain to have an effect is told apart by its action: it takes effect if it can, else nothing
 * happens. Since it has no return, the search may place it after everything else, where it explains nothing; so that is no loss.
 */
import type { Action, AnyAction } from './operation.js';

export interface Model<S, A extends AnyAction = Action> {
  readonly name: string;
  readonly initial: S;
  /** The state after the action; undefined when it cannot be answered as it was. */
  step(state: S, action: A): S | undefined;
  /** Equal for equal states only. */
  key(state: S): string;
}

/** '' = free, else the owner. Knows no re-entry: for histories without any. */
export const mutex: Model<string> = {
  name: 'mutex',
  initial: '',
  step(owner, action) {
    switch (action.kind) {
      case 'acquire':
        if (owner === '') return action.owner;
        return action.certain ? undefined : owner;
      case 'release':
        if (owner === action.owner) return '';
        return action.certain ? undefined : owner;
      case 'expire':
        return owner === action.owner ? '' : owner;
      case 'force':
        return '';
    }
  },
  key: (owner) => owner,
};

export interface Reentrant {
  /** '' = free. */
  readonly owner: string;
  readonly count: number;
}

const free: Reentrant = { owner: '', count: 0 };

/** An owner may acquire again: at depth d when it has d - 1. A re-entry is never a fresh acquisition. */
export const reentrant: Model<Reentrant> = {
  name: 're-entrant',
  initial: free,
  step(state, action) {
    const { owner, count } = state;
    switch (action.kind) {
      case 'acquire': {
        const fits = action.depth === 1 ? owner === '' : owner === action.owner && count === action.depth - 1;
        if (fits) return { owner: action.owner, count: count + 1 };
        return action.certain ? undefined : state;
      }
      case 'release':
        if (owner !== action.owner) return action.certain ? undefined : state;
        return count === 1 ? free : { owner, count: count - 1 };
      case 'expire':
        return owner === action.owner ? free : state;
      case 'force':
        return free;
    }
  },
  key: ({ owner, count }) => `${owner} ${count}`,
};

export interface Fenced {
  readonly lock: Reentrant;
  /** Of the present tenure; undefined when nobody was told it. */
  readonly token: number | undefined;
  /** Largest that anybody was told. */
  readonly maxToken: number;
}

/**
 * Every tenure has a larger token than all before it; a re-entry has that of its tenure. An acquisition of unknown fate, or one that
 * was not told its token, may have taken any, so tokens may have gaps.
 */
export const fenced: Model<Fenced> = {
  name: 'fenced',
  initial: { lock: free, token: undefined, maxToken: Number.NEGATIVE_INFINITY },
  step(state, action) {
    const lock = reentrant.step(state.lock, action);
    if (lock === undefined || lock === state.lock) return lock && state;
    if (action.kind !== 'acquire') return { ...state, lock, token: lock.count === 0 ? undefined : state.token };
    const known = action.depth === 1 ? undefined : state.token;
    if (action.token === undefined) return { ...state, lock, token: known };
    const fits = known === undefined ? action.token > state.maxToken : action.token === known;
    return fits ? { lock, token: action.token, maxToken: action.token } : undefined;
  },
  key: ({ lock, token, maxToken }) => `${reentrant.key(lock)} ${token} ${maxToken}`,
};
