import type { Io } from './io.js';
import { printable } from './table.js';

/** For whom a complaint is. */
export type Form = 'words' | 'json';

/**
 * Says what is wrong, in one line on the standard error. All that is said there passes here: a name, a word of the command line or of the server cannot write
 * to the terminal.
 */
export function complain(io: Io, form: Form, code: string, message: string): void {
  io.warn(form === 'json' ? JSON.stringify({ error: { code, message } }) : printable(`holdfast: ${message}`));
}
