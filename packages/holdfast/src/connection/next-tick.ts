/**
 * The real one: fake timers that a test installs later would keep from leaving what is held until the turn is over. Where they were there first, as with
 * `enableGlobally` of Jest, promise jobs, which run.
 */
export const nextTick: (run: () => void) => void =
  'clock' in (process as { readonly nextTick: object }).nextTick
    ? (run) => void Promise.resolve().then(run)
    : process.nextTick.bind(process);
