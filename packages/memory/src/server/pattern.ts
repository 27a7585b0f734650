/** A pattern of KEYS and SCAN as an expression that matches whole keys: `*`, `?`, `[…]` and `\` as Redis reads them. */
export function patternOf(pattern: string): RegExp {
  let text = '';
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] as string;
    const next = pattern[at + 1];
    if (letter === '*') text += '.*';
    else if (letter === '?') text += '.';
    else if (letter === '\\' && next !== undefined) {
      text += literal(next);
      at++;
    } else if (letter === '[') {
      const end = pattern.indexOf(']', at);
      const inside = pattern.slice(at + 1, end < 0 ? undefined : end);
      const isNot = inside.startsWith('^');
      const letters = (isNot ? inside.slice(1) : inside).replaceAll(/[\\\]^[]/g, String.raw`\$&`);
      text += `[${isNot ? '^' : ''}${letters}]`;
      at = end < 0 ? pattern.length : end;
    } else text += literal(letter);
  }
  return new RegExp(`^${text}$`, 's');
}

function literal(letter: string): string {
  return letter.replace(/[.+?^${}()|[\]\\*]/, String.raw`\$&`);
}
