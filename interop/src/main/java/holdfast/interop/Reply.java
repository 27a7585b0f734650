package holdfast.interop;

/**
 * One line of output: a value or an error.
 *
 * @param startedUs when the operation began and ended, in microseconds of the machine's monotonic clock, which Node reads too
 *     ({@code process.hrtime})
 */
record Reply(long id, Object value, Failure error, long startedUs, long endedUs) {

  /** What an operation threw: the simple name of its class, and its message. */
  record Failure(String type, String message) {}
}
