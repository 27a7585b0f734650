/** The time of day in `ms` milliseconds: redlock tells by it until when a lock is held. Nothing here is decided by it. */
export const wallTimeIn = (ms: number): number => Date.now() + ms;
