/** The locks of one process in a world of circles: it takes its own in any order. Others take them alone, or a wait could go round where nobody sees all of it. */
export interface Forks {
  /** Each excludes everybody. */
  readonly alone: readonly string[];
  /** It has readers. */
  readonly shared: string;
}

/** @param process - its number. */
export const forksOf = ({ name }: { readonly name: string }, process: number): Forks => ({
  alone: ['a', 'b', 'c'].map((letter) => `${name}-${process}-${letter}`),
  shared: `${name}-${process}-shared`,
});
