/** How a property test runs: what fast-check takes as parameters, and how long that may last. */
export interface ProofRuns {
  readonly parameters: { numRuns: number; seed: number; path?: string; interruptAfterTimeLimit: number };
  readonly timeoutMs: number;
}

const QUICK_SEED = 20_261_120;

/**
 * `quick` runs in the normal tests, always from the same seed: what lands is judged by the same cases each time. `long`, with
 * HOLDFAST_PROOF=long, looks for new ones. A failure prints the seed and the path of the smallest counterexample; HOLDFAST_SEED and
 * HOLDFAST_PATH repeat that one.
 */
export function proofRuns(runs: { quick: number; long: number }): ProofRuns {
  const { HOLDFAST_PROOF, HOLDFAST_SEED, HOLDFAST_PATH } = process.env;
  const isLong = HOLDFAST_PROOF === 'long';
  const seed = Number(HOLDFAST_SEED ?? (isLong ? Math.floor(Math.random() * 2 ** 31) : QUICK_SEED));
  const timeoutMs = isLong ? 3_600_000 : 60_000;
  return {
    parameters: {
      // Shrinking ends in time to print what was found.
      interruptAfterTimeLimit: timeoutMs / 2,
      numRuns: isLong ? runs.long : runs.quick,
      seed,
      ...(HOLDFAST_PATH === undefined ? {} : { path: HOLDFAST_PATH }),
    },
    timeoutMs,
  };
}
