/**
 * Patterns of KEYS and SCAN, as Redis reads them: byte by byte, and none is wrong. `[z-a]` is `[a-z]`, a set that is not closed ends with the pattern,
 * and in `[a-]` the bracket is the end of the range. Of ranges that end beyond ASCII Redis has another meaning on each kind of processor; here bytes have no sign.
 */

/** What may stand at one place of a key. */
type Place = 'anything' | ((byte: string) => boolean);

/** Whether the pattern means a key. */
export function patternOf(pattern: string): (key: string) => boolean {
  const places = placesOf(inBytes(pattern));
  /** The place at `at`, and those behind it that may stay empty. */
  const reach = (at: number, reached: Set<number>): void => {
    reached.add(at);
    if (places[at] === 'anything') reach(at + 1, reached);
  };
  return (key) => {
    let reached = new Set<number>();
    reach(0, reached);
    for (const byte of inBytes(key)) {
      const next = new Set<number>();
      for (const at of reached) {
        const place = places[at];
        if (place === 'anything') reach(at, next);
        else if (place?.(byte) === true) reach(at + 1, next);
      }
      reached = next;
    }
    return reached.has(places.length);
  };
}

function placesOf(pattern: string): Place[] {
  const places: Place[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at];
    if (letter === '*') {
      // As one: of many the last.
      if (pattern[at + 1] !== '*') places.push('anything');
    } else if (letter === '?') places.push(() => true);
    else if (letter === '[') {
      const { set, end } = setAt(pattern, at + 1);
      places.push(set);
      at = end;
    } else {
      const literal = letter === '\\' ? (pattern[++at] ?? letter) : letter;
      places.push((byte) => byte === literal);
    }
  }
  return places;
}

/** @returns the set, and where its `]` is. */
function setAt(pattern: string, start: number): { set: (byte: string) => boolean; end: number } {
  const isNot = pattern[start] === '^';
  const ranges: (readonly [from: string, to: string])[] = [];
  let at = isNot ? start + 1 : start;
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    const first = pattern[at] as string;
    const [next, last] = [pattern[at + 1], pattern[at + 2]];
    if (first === '\\' && next !== undefined) {
      ranges.push([next, next]);
      at++;
    } else if (next === '-' && last !== undefined) {
      ranges.push(first < last ? [first, last] : [last, first]);
      at += 2;
    } else ranges.push([first, first]);
  }
  return { set: (byte) => ranges.some(([from, to]) => from <= byte && byte <= to) !== isNot, end: at };
}

/** A letter for each byte. */
const inBytes = (text: string): string => Buffer.from(text).toString('latin1');
