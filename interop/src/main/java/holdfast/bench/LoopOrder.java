package holdfast.bench;

/**
 * A closed loop.
 *
 * @param name of the lock; where {@code locks} is {@code own}, the beginning of each task's
 * @param startAt in ms of the machine's monotonic clock
 * @param report {@code sections}: each one is told of; {@code sums}: what they add up to
 */
record LoopOrder(
    String name, String locks, int tasks, long holdMs, double startAt, long durationMs, String report) {}
