/** Calls `run` in the next turn of the event loop. */
export type NextTurn = (run: () => void) => void;

/**
 * Calls `judge` when all that has arrived by now has been read. After a stalled loop timers come first and sockets second: whoever judges
 * somebody's silence has to look at the sockets before. Two turns make that certain.
 */
export function whenRead(nextTurn: NextTurn, judge: () => void): void {
  nextTurn(() => nextTurn(judge));
}
