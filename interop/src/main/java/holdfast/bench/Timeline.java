package holdfast.bench;

import java.util.Arrays;

/** When each section was asked for, entered and left, one after the other. */
final class Timeline {
  private double[] values = new double[3 * 1_024];
  private int size;

  void add(double askedAt, double enteredAt, double leftAt) {
    if (size == values.length) values = Arrays.copyOf(values, 2 * size);
    values[size++] = askedAt;
    values[size++] = enteredAt;
    values[size++] = leftAt;
  }

  double[] toArray() {
    return Arrays.copyOf(values, size);
  }
}
