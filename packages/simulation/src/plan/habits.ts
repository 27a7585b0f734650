/** How often tasks do each thing that can be done with a plain lock. */

/** Those at 0 are done in worlds of a temper only: what each seed drew before they were here stays as it was. */
export const usualHabits = {
  section: 12,
  nested: 4,
  branches: 2,
  shortWait: 3,
  object: 3,
  imperative: 3,
  triedImperative: 2,
  fixedLease: 2,
  detached: 1,
  givenUp: 3,
  crowd: 2,
  twoLocks: 2,
  longHold: 1,
  queries: 1,
  owner: 1,
  counted: 0,
  nestedLease: 0,
  nestedGivenUp: 0,
  crossed: 0,
  busyCrowd: 0,
};

/** What a task does. */
export type PatternName = keyof typeof usualHabits;

/** The weight of each. */
export type Habits = Readonly<Record<PatternName, number>>;
