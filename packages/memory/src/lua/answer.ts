/** What commands answer, scripts are given, and scripts answer: each as Redis makes one out of the other. */

import { ErrorReply, type Reply } from '../server/reply.js';
import { bytesOf, textOf } from './bytes.js';
import { LuaTable, type LuaValue } from './value.js';

/** What a command answers within a script. */
export type Answer = string | number | null | Status | readonly Answer[];

/** `OK` and the like, which to a script is a table. */
export class Status {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function givenToScript(answer: Answer): LuaValue {
  if (typeof answer === 'string') return bytesOf(answer);
  if (typeof answer === 'number') return answer;
  if (answer === null) return false;
  if (answer instanceof Status) return LuaTable.from({ ok: answer.text });
  return LuaTable.of(answer.map(givenToScript));
}

export function errorTable(error: ErrorReply): LuaTable {
  return LuaTable.from({ err: bytesOf(error.message) });
}

export function answeredByScript(value: LuaValue): Reply {
  switch (typeof value) {
    case 'string':
      return textOf(value);
    case 'number':
      return Math.abs(value) < 2 ** 63 ? Math.trunc(value) + 0 : -(2 ** 63);
    case 'boolean':
      return value ? 1 : null;
    case 'object': {
      const [error, status] = [value.get('err'), value.get('ok')];
      if (typeof error === 'string') return new ErrorReply(textOf(error));
      return typeof status === 'string' ? textOf(status) : value.items.map(answeredByScript);
    }
    default:
      return null;
  }
}
