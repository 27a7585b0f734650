/** Numbers and texts, each as the other: as C's `strtod` and `printf` do it, which Lua 5.1 asks. */

import { UnknownToLua, raised } from './errors.js';
import { type LuaValue, typeOf } from './value.js';

const decimal = /^[ \t-\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t-\r]*$/;
const hexadecimal = /^[ \t-\r]*([+-]?)0[xX]([\dA-Fa-f]+)[ \t-\r]*$/;
const special = /^[ \t-\r]*([+-]?)(inf(?:inity)?|nan)[ \t-\r]*$/i;

/** `tonumber` of a text; undefined for what is no number. */
export function numberIn(text: string): number | undefined {
  if (decimal.test(text)) return Number(text);
  const [, sign, digits] = hexadecimal.exec(text) ?? [];
  if (digits !== undefined) return Number(`0x${digits}`) * (sign === '-' ? -1 : 1);
  const [, before, word] = special.exec(text) ?? [];
  if (word === undefined) return undefined;
  return word.toLowerCase() === 'nan' ? Number.NaN : before === '-' ? -Infinity : Infinity;
}

/** `%.<digits>g`. */
export function general(value: number, digits: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  if (Number.isSafeInteger(value) && Math.abs(value) < 10 ** digits) return `${value}`;
  const [mantissa = '', exponentText = ''] = rounded(value, digits).split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= digits) {
    const size = `${Math.abs(exponent)}`.padStart(2, '0');
    return `${withoutZeros(mantissa)}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return withoutZeros(Number(`${mantissa}e${exponentText}`).toFixed(Math.max(0, digits - 1 - exponent)));
}

/** So many digits, as `toExponential` gives them; but halves go to the even side, as in C. */
function rounded(value: number, digits: number): string {
  const exact = value.toExponential(MOST_DIGITS);
  const [, kept = '', last = '', exponent = ''] =
    new RegExp(`^(-?\\d\\.?\\d{${digits - 2}}(\\d))50*e(.*)$`).exec(exact) ?? [];
  return Number(last) % 2 === 0 && kept !== '' ? `${kept}e${exponent}` : value.toExponential(digits - 1);
}

/** Of an exponential form: whatever is halfway between two shorter ones has fewer. */
const MOST_DIGITS = 100;

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** `tostring` of a number. */
export function numberText(value: number): string {
  return general(value, 14);
}

/** `%.0f`: halves go to the even side. */
export function wholeText(value: number): string {
  if (!Number.isFinite(value)) return general(value, 14);
  const below = Math.floor(value);
  const whole = value - below === 0.5 ? below + (below % 2 === 0 ? 0 : 1) : Math.round(value);
  if (whole === 0) return value < 0 || Object.is(value, -0) ? '-0' : '0';
  return BigInt(whole).toString();
}

/** What a function of the library takes for a text. */
export function textArgument(value: LuaValue, at: number, of: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  throw raised(`bad argument #${at} to '${of}' (string expected, got ${typeOf(value)})`);
}

/** What a function of the library takes for a number. */
export function numberArgument(value: LuaValue, at: number, of: string): number {
  const number = typeof value === 'string' ? numberIn(value) : value;
  if (typeof number === 'number') return number;
  throw raised(`bad argument #${at} to '${of}' (number expected, got ${typeOf(value)})`);
}

const directive = /%(?:\.(\d+))?(.)/gs;

/** `string.format`. */
export function format(template: string, args: readonly LuaValue[]): string {
  let used = 0;
  return template.replaceAll(directive, (text, precision: string | undefined, kind: string) => {
    if (text === '%%') return '%';
    const value = args[used++];
    if (text === '%s') return textArgument(value, used + 1, 'format');
    if (text === '%d') return wholeText(Math.trunc(numberArgument(value, used + 1, 'format')) + 0);
    if (kind === 'f' && precision === '0') return wholeText(numberArgument(value, used + 1, 'format'));
    throw new UnknownToLua(`string.format with ${text}`);
  });
}
