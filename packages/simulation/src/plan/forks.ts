/** The locks of one process in a world of circles: it takes its own in any order. Others take them alone, or a wait could go round where nobody sees all of it. */
export interface Forks {
  /** Each excludes everybody. */
  readonly alone: readonly string[];
  /** It has readers, and writers who give up. */
  readonly shared: string;
  /** It has readers, and writers who wait as long as they must: readers stand behind them. */
  readonly line: string;
}

/** @param process - its number. */
export const forksOf = ({ name }: { readonly name: string }, process: number): Forks => ({
  alone: ['a', 'b', 'c'].map((letter) => `${name}-${process}-${letter}`),
  shared: `${name}-${process}-shared`,
  line: `${name}-${process}-line`,
});
