/** Languages other than ours whose libraries are measured beside us. */
export const languages = ['java', 'go'] as const;

export type Language = (typeof languages)[number];

/** How to start a process that serves the methods `warmUp` and `loop` of a worker. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Of the libraries in it, by the names that peers have as `package`. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The programs of a run. */
export type Programs = Readonly<Partial<Record<Language, Program>>>;

/** A language whose program cannot be run here; the message says why, in one line. */
export class ProgramUnavailable extends Error {
  override readonly name = 'ProgramUnavailable';
}
