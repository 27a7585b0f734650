package holdfast.bench;

import java.util.List;

/** What a loop came to; see {@code LoopReport} in Node. */
record LoopReport(
    long[] served,
    long sections,
    List<String> failures,
    List<int[]> acquire,
    double[] timeline,
    int mostInside,
    Resources resources) {

  record Resources(double cpuUs) {}
}
