/** What the command line takes from the process it runs in: handed over, so that a test can be that process. */

import type { Paint } from './paint.js';

/** Signals that end a program, as users and supervisors send them. */
export type EndSignal = 'SIGINT' | 'SIGQUIT' | 'SIGTERM' | 'SIGHUP';

/** See the module comment. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Somebody sits there: who can be asked, and for whom a table may be drawn anew. */
  readonly isTerminal: boolean;
  readonly paint: Paint;
  /** Writes to the standard output, as it is. */
  write(text: string): void;
  /** Writes a line to the standard error: see `complaint.ts`. */
  warn(line: string): void;
  /** How many lines the terminal has now, and how wide they are. */
  size(): { readonly rows: number; readonly columns: number };
  /** The time on the wall, for people and logs, as ISO 8601 has it. */
  now(): string;
  /** Shows a question, and answers with the line that somebody types. */
  ask(question: string): Promise<string>;
  /** Calls `run` for each such signal, which then does not end the process. Returns how to end that. */
  onSignal(signal: EndSignal, run: () => void): () => void;
  /** Calls `run` when something was written and nobody reads the standard output any more. Returns how to end that. */
  onUnread(run: () => void): () => void;
}
