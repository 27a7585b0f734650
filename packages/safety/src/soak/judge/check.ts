/** Something a run must be true of, and what was seen. */
export interface Check {
  readonly what: string;
  readonly passed: boolean;
  readonly seen: string;
}

/** What must be none. The first few are shown. */
export function noneOf(what: string, found: readonly string[]): Check {
  const shown = found.slice(0, 5).join('; ');
  return { what, passed: found.length === 0, seen: found.length === 0 ? 'none' : `${found.length}: ${shown}` };
}

export function atMost(what: string, value: number, limit: number, unit = ''): Check {
  return { what, passed: value <= limit, seen: `${round(value)}${unit}, at most ${round(limit)}${unit}` };
}

export function atLeast(what: string, value: number, limit: number, unit = ''): Check {
  return { what, passed: value >= limit, seen: `${round(value)}${unit}, at least ${round(limit)}${unit}` };
}

export function exactly(what: string, value: number, expected: number): Check {
  return { what, passed: value === expected, seen: value === expected ? String(value) : `${value}, not ${expected}` };
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
