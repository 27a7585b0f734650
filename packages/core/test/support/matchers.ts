/** Matches a number from `min` to `max`, also inside `toEqual` and `toMatchObject`. */
export function within(min: number, max: number) {
  return {
    $$typeof: Symbol.for('jest.asymmetricMatcher'),
    asymmetricMatch: (value: unknown) => typeof value === 'number' && value >= min && value <= max,
    toString: () => 'within',
    toAsymmetricMatcher: () => `within ${min} and ${max}`,
  };
}

/** Matches a TTL that was set to `ms` a moment ago. */
export function almost(ms: number) {
  return within(ms * 0.8, ms);
}
