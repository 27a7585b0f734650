package holdfast.interop;

/**
 * One line of input.
 *
 * @param id comes back with the reply
 * @param op see {@link Locks#perform}
 * @param thread the Java thread that does it, made when first named: Redisson's owner is a thread
 * @param name of the lock
 * @param kind {@code fair}, {@code spin} or {@code fenced}; absent: the plain RLock
 * @param waitMs absent: {@code lock} waits for ever, {@code tryLock} not at all
 * @param leaseMs absent: the watchdog renews
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
    String counter,
    Integer threads,
    Integer sections) {}
