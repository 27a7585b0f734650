/** What a call of the command line ends with; the numbers of `sysexits.h` where there is one that means it. */
export const exitCodes = {
  done: 0,
  /** The answer is no: the lock is free, there was nothing to unlock, the doctor found something wrong, waits have a circle. */
  no: 1,
  /** The command line could not be understood. */
  usage: 2,
  /** Redis cannot be reached, or does not answer. */
  unavailable: 69,
  /** Something is wrong in here. */
  internal: 70,
  /** `run`: somebody else has the lock. */
  busy: 75,
  /** `run`: the lock was lost while the command ran. */
  lost: 76,
  /** Redis refused: a right is missing, or the key is no lock. */
  refused: 77,
} as const;

/** A command line that cannot be understood; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
