/**
 * A signal that tells the truth whenever it is looked at. After a stalled event loop no timer has run yet that could have aborted it, and whoever was handed
 * the signal alone has nothing else to ask.
 *
 * Not a property of each signal: one prototype for all serves a thousand of them.
 */

/** What comes before a look at a signal, until it has aborted. */
const looks = new WeakMap<AbortSignal, () => void>();
/** By what signals inherit from: a test environment may have a class of its own. */
const kinds = new WeakMap<object, object>();

/** Has each look at `signal` begin with `look`, which aborts it when the deadline has passed: listeners hear of it before whoever looks does. */
export function truthful(signal: AbortSignal, look: () => void): AbortSignal {
  const inherited = Object.getPrototypeOf(signal) as object;
  const kind = kinds.get(inherited) ?? kindOf(inherited);
  kinds.set(inherited, kind);
  looks.set(signal, look);
  return Object.setPrototypeOf(signal, kind) as AbortSignal;
}

function kindOf(inherited: object): object {
  const read = (key: keyof AbortSignal, signal: AbortSignal) => Reflect.get(inherited, key, signal) as unknown;
  const kind = Object.create(inherited) as object;
  for (const key of ['aborted', 'reason', 'throwIfAborted'] as const)
    Object.defineProperty(kind, key, {
      configurable: true,
      get(this: AbortSignal) {
        const look = looks.get(this);
        if (look === undefined) return read(key, this);
        // What aborts it asks whether it has aborted.
        looks.delete(this);
        try {
          look();
        } finally {
          if (read('aborted', this) !== true) looks.set(this, look);
        }
        return read(key, this);
      },
    });
  return kind;
}
