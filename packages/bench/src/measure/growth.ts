/** One measured point of a growth plot. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How a cost grows. */
export interface Growth {
  /** The exponent e of the power law y = a * x^e that fits best: 0 is flat, 1 linear. */
  readonly exponent: number;
  readonly shape: 'falling' | 'flat' | 'less than linear' | 'linear' | 'more than linear';
}

/** Fitted through all points by least squares on both logarithms. Undefined for less than two different x, or values that are not positive. */
export function growth(points: readonly Point[]): Growth | undefined {
  const positive = points.filter(({ x, y }) => x > 0 && y > 0);
  const logs = positive.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const mean = (of: (log: Point) => number) => logs.reduce((sum, log) => sum + of(log), 0) / logs.length;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const variance = mean(({ x }) => (x - meanX) ** 2);
  if (logs.length < 2 || variance === 0) return undefined;
  const exponent = mean(({ x, y }) => (x - meanX) * (y - meanY)) / variance;
  return { exponent, shape: shape(exponent) };
}

function shape(exponent: number): Growth['shape'] {
  if (exponent < -0.15) return 'falling';
  if (exponent <= 0.15) return 'flat';
  if (exponent < 0.85) return 'less than linear';
  if (exponent <= 1.15) return 'linear';
  return 'more than linear';
}
