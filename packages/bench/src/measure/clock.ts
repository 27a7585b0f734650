/** performance.now() counts from the start of its own process; the clock below it is one for the whole machine. */
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds on a monotonic clock that all processes of this machine share. */
export const now = (): number => performance.now() + offsetMs;
