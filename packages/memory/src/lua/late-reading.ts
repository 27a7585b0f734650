/**
 * `free + take()`: Lua reads a local variable where the operator is done, so after the call, which may have changed it. Translated code would have read
 * it before. Where both are seen, a variable that is read so and a function that changes it, the script is refused; see {@link Scope}.
 */

import type { Expression } from 'luaparse';
import type { Scope } from './scope.js';

/** Calls in translated code, but those of libraries and of Redis, which change no variable. */
const ownCalls = /\bcallee\((?!globals\.|index\((?:globals\.|redis,))/;

/** @param read - what is made use of when all of `code` is done */
export function noteReading(read: Expression, code: string, scope: Scope): void {
  if (read.type === 'Identifier' && ownCalls.test(code)) scope.readBesideCall(read.name);
}
