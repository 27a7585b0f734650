/** Calls `run` in the next turn of the event loop. */
export type NextTurn = (run: () => void) => void;

/**
 * Calls `judge` when all that has arrived by now has been read. After a stalled loop timers come first and sockets second: before a
 * server is called silent, the sockets have to be read. Two turns make that certain.
 */
export function whenRead(nextTurn: NextTurn, judge: () => void): void {
  nextTurn(() => nextTurn(judge));
}
