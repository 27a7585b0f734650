/**
 * How often the libraries that poll try again, in ms: one setting for all of them, so that they differ by what they do. Their defaults
 * are 10 (redis-semaphore), 100 (redlock-universal) and 200 (redlock); the shortest of these serves all of them best.
 */
export const POLL_MS = 10;
/** Up to this much more, at random, where a library can: else those who began together collide for ever. */
export const POLL_JITTER_MS = 5;
