/**
 * Has each look at `signal` begin with `look`, which aborts it when the deadline has passed: after a stalled event loop no timer has run yet that could have,
 * and whoever was handed the signal alone has nothing else to ask. Listeners are told by timers, as ever.
 */
export function truthful(signal: AbortSignal, look: () => void): AbortSignal {
  const inherited = Object.getPrototypeOf(signal) as object;
  let isLooking = false;
  const lookOnce = () => {
    // What aborts it asks whether it has aborted.
    if (isLooking) return;
    isLooking = true;
    try {
      look();
    } finally {
      isLooking = false;
    }
  };
  for (const key of ['aborted', 'reason', 'throwIfAborted'] as const)
    Object.defineProperty(signal, key, {
      configurable: true,
      get: () => {
        lookOnce();
        return Reflect.get(inherited, key, signal) as unknown;
      },
    });
  return signal;
}
