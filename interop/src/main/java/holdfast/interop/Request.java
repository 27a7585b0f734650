package holdfast.interop;

/**
 * One line of input.
 *
 * @param id comes back with the reply
 * @param op see the classes that are {@link Operations}
 * @param thread the Java thread that does it, made when first named: Redisson's owner is a thread
 * @param name of the object; of a multi-lock the names of its members, with commas in between
 * @param kind {@code fair}, {@code spin}, {@code fenced}, {@code read}, {@code write} or {@code multi}: a lock; {@code semaphore}, {@code
 *     expirable} or {@code latch}; absent: the plain RLock
 * @param waitMs absent: {@code lock} waits for ever, {@code tryLock} not at all
 * @param leaseMs absent: the watchdog renews
 * @param count permits, or a latch's count; absent: 1
 * @param permit id of a permit of an expirable semaphore
 * @param counter key of the counter of {@code loop}
 * @param threads how many Java threads {@code loop} uses
 * @param sections how many critical sections each thread of {@code loop} runs
 */
record Request(
    long id,
    String op,
    String thread,
    String name,
    String kind,
    Long waitMs,
    Long leaseMs,
    Integer count,
    String permit,
    String counter,
    Integer threads,
    Integer sections) {

  int countOr(int otherwise) {
    return count == null ? otherwise : count;
  }

  long waitMsOr(long otherwise) {
    return waitMs == null ? otherwise : waitMs;
  }
}
