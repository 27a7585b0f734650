/** The real one, also when a test installs fake timers later: sockets are read all the same. */
const { setImmediate } = globalThis;

/**
 * Calls `judge` when all that has arrived by now has been read. After a stalled loop timers come first and sockets second: whoever judges
 * somebody's silence has to look at the sockets before. Two turns make that certain.
 */
export function whenRead(judge: () => void): void {
  setImmediate(() => setImmediate(judge));
}
