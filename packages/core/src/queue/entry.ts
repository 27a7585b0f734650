/** The numbers that an entry begins with, all or none; further words may follow, which a later version has put there. */
export function numbersIn(entry: string, count: number): readonly number[] {
  const words = entry.split(' ').slice(0, count);
  return words.length === count && words.every((word) => /^\d{1,15}$/.test(word)) ? words.map(Number) : [];
}
