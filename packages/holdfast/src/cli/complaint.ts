import type { Io } from './io.js';
import { printable } from './table.js';

/** For whom a complaint is. */
export type Form = 'words' | 'json';

/** What an error says, for who sits at a terminal: nobody has its `cause` there, nor the events of a client. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const whole = cause instanceof Error ? cause.message.trim() : '';
  return message
    .replace(/\S+ \(error\.cause has the whole of it\)/, (code) => whole || (code.split(' ', 1)[0] as string))
    .replace(' The "error" event of the client may say more', '');
}

/**
 * Says what is wrong, in one line on the standard error. All that is said there passes here: a name, a word of the command line or of the server cannot write
 * to the terminal.
 */
export function complain(io: Io, form: Form, code: string, message: string): void {
  io.warn(form === 'json' ? JSON.stringify({ error: { code, message } }) : printable(`holdfast: ${message}`));
}
