/** The real one: fake timers that a test installs later would keep from leaving what is held until the turn is over. */
export const nextTick = process.nextTick.bind(process);
