/** A peer did not come to an end within the time that a round may take. */
export class StalledError extends Error {
  override readonly name = 'StalledError';

  constructor(limitMs: number) {
    super(`not done in ${Math.round(limitMs / 1_000)} s`);
  }
}
