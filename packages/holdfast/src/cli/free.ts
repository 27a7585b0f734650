/** A lock that is free: with a prefix that was forgotten, or given twice, one that is held looks so too. */

import { lockKeys } from '@holdfast/core';
import type { Call } from './command-line.js';
import { printable } from './table.js';

/** With the key that was looked at. */
export function freeInWords(call: Call, name: string): string {
  const { prefix, site } = call;
  const key = site.keyPrefix + lockKeys(name, { prefix, keyPrefix: site.keyPrefix }).lock;
  const without = prefix === '' && site.keyPrefix === '' ? ', without --prefix' : '';
  return `${call.io.paint('bold', printable(name))} is free (key ${printable(key)}${without})`;
}

/** Says it, on the standard error: names are given without the prefix. */
export function tellPrefixTwice(call: Call, name: string): void {
  const { prefix } = call;
  if (prefix === '' || !name.startsWith(prefix)) return;
  const rest = name.slice(prefix.length);
  const meant = rest === '' ? '' : `: did you mean ${rest}?`;
  call.complain('PREFIX_TWICE', `${name} begins with the prefix, and --prefix puts it in front once more${meant}`);
}
