/** What the scripts take from Lua: numbers in texts, and arguments checked as `args.lua` checks them. */

import type { Commands } from '../commands.js';
import { ErrorReply, type Reply } from '../reply.js';

/** A script: KEYS and ARGV in, a reply out. It throws an {@link ErrorReply} where the Lua script raises an error. */
export type ScriptBody = (redis: Commands, keys: readonly string[], args: readonly string[]) => Reply;

/** The longest duration, in milliseconds. */
export const LONGEST_MS = 2_147_483_648;

/** `tonumber`: undefined for what is no number. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  return Number.isNaN(value) || text.trim() === '' ? undefined : value;
}

/** `integer` of args.lua; `i` counts from 1, as there. */
export function integer(args: readonly string[], i: number, min: number, max: number = LONGEST_MS): number {
  const value = numberOf(args[i - 1]);
  if (value !== undefined && value % 1 === 0 && value >= min && value <= max) return value + 0;
  throw new ErrorReply(`ERR holdfast: ARGV[${i}] must be a whole number from ${min} to ${max}`);
}

/** `question` of question.lua: the last argument. */
export function questionOf(args: readonly string[]): string {
  return args.at(-1) ?? '';
}

/** A key or an argument that the script is always given. */
export function given(texts: readonly string[], index: number): string {
  return texts[index] ?? '';
}
