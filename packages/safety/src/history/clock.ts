/** Microseconds of the monotonic clock: CLOCK_MONOTONIC, so the processes of one host may compare them. */
export const nowMicros = (): number => {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1_000_000 + Math.floor(nanos / 1_000);
};
