/** Whole numbers as Redis counts them: in 64 bits. */
import { ErrorReply, notAnInteger } from './reply.js';

/** What INCRBY makes of a text: Redis counts in 64 bits, and tells a script the nearest number that Lua has. */
export function sumOf(text: string, by: number): bigint {
  if (!isWhole(text)) throw notAnInteger();
  const sum = BigInt(text) + BigInt(by);
  if (!isIn64Bits(sum)) throw new ErrorReply('ERR increment or decrement would overflow');
  return sum;
}

/** As Redis writes a whole number, and not beyond what it can count. */
export function isWhole(text: string): boolean {
  return /^(?:0|-?[1-9]\d*)$/.test(text) && isIn64Bits(BigInt(text));
}

const isIn64Bits = (value: bigint): boolean => BigInt.asIntN(64, value) === value;
