import type { Summary } from '../measure/statistics.js';

/** Three significant digits, thousands with commas. */
export function number(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: Math.min(3, digits) });
}

/** The median; with its spread where that is more than 1 %. */
export function withSpread({ median, low, high }: Summary): string {
  const spread = median === 0 ? 0 : (high - low) / 2 / Math.abs(median);
  return spread < 0.01 ? number(median) : `${number(median)} ±${Math.round(spread * 100)} %`;
}

/** A ratio, as in `0.93 ×`. Empty for what there is none of. */
export const times = (ratio: number | undefined): string => (ratio === undefined ? '' : `${number(ratio)} ×`);
