package holdfast.bench;

import java.util.ArrayList;
import java.util.List;

/** Waits in the buckets of {@code packages/bench/src/measure/histogram.ts}. */
final class Histogram {
  private static final double LOG_GROWTH = Math.log(1.01);
  private static final double SMALLEST_US = 0.1;
  private final int[] counts = new int[(int) Math.ceil(Math.log(3.6e9 / SMALLEST_US) / LOG_GROWTH)];

  void record(double microseconds) {
    int bucket = (int) Math.floor(Math.log(Math.max(microseconds, SMALLEST_US) / SMALLEST_US) / LOG_GROWTH);
    counts[Math.min(counts.length - 1, bucket)]++;
  }

  void add(Histogram other) {
    for (int i = 0; i < counts.length; i++) counts[i] += other.counts[i];
  }

  /** Bucket and count of what is not empty. */
  List<int[]> buckets() {
    List<int[]> filled = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) if (counts[i] > 0) filled.add(new int[] {i, counts[i]});
    return filled;
  }
}
