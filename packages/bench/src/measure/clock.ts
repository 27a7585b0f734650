/**
 * performance.now() counts from the start of its own process; the clock below it is one for the whole machine. A process that is put aside
 * between the two readings finds the offset too small: the largest of many is right. Wrong by a millisecond, every lock seems to let two in.
 */
const offsetMs = Math.max(
  ...Array.from({ length: 1_000 }, () => Number(process.hrtime.bigint()) / 1e6 - performance.now()),
);

/** Milliseconds on a monotonic clock that all processes of this machine share. */
export const now = (): number => performance.now() + offsetMs;
