import { UsageError } from './exit-codes.js';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** What the timers of a process can wait for: 596 hours. */
const LONGEST_MS = 2 ** 31 - 1;

/** `500`, `500ms`, `30s`, `5m` or `1h` in milliseconds. @throws UsageError */
export function durationOf(option: string, text: string, leastMs: number): number {
  const [, number = '', unit = 'ms'] = /^(\d{1,10})(ms|s|m|h)?$/.exec(text) ?? [];
  if (number === '') throw new UsageError(`${option} must be a time such as 500ms, 30s, 5m or 1h, not "${text}"`);
  const ms = Number(number) * units[unit as keyof typeof units];
  if (ms < leastMs || ms > LONGEST_MS) {
    throw new UsageError(`${option} must be between ${leastMs}ms and ${LONGEST_MS}ms (596h), not "${text}"`);
  }
  return ms;
}

/** A time in words, for a table: the two largest units of it. */
export function inWords(ms: number | undefined): string {
  if (ms === undefined) return '-';
  if (ms < 1_000) return `${ms} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
