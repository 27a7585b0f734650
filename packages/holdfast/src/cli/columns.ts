/** How many columns of a terminal a text takes: what is Chinese, Japanese or Korean and pictures take two, accents that stand on a letter none. */

/** What Unicode calls wide, but for characters that are never shown as they are. Flags are two letters, of one column each. */
const wide =
  /(?![\u{1f1e6}-\u{1f1ff}])[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2fb}\u{20000}-\u{3fffd}]/u;
/** Beside accents the later letters of a Korean syllable. */
const without = /[\p{Mn}\p{Me}\u1160-\u11ff]/u;
/** What is not torn apart. */
const piece = /[^\p{Mn}\p{Me}\u1160-\u11ff][\p{Mn}\p{Me}\u1160-\u11ff]*|./gsu;

/** As it is shown. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) if (!without.test(character)) columns += wide.test(character) ? 2 : 1;
  return columns;
}

/** Fills it up with spaces. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

/** Its beginning and its end, where it has more columns than `most`. */
export function withoutMiddle(text: string, most: number): string {
  if (columnsOf(text) <= most) return text;
  const pieces = text.match(piece) ?? [];
  const front = fitting(pieces, Math.floor(most / 2)).join('');
  const back = fitting(pieces.toReversed(), most - 1 - columnsOf(front)).toReversed();
  return `${front}…${back.join('')}`;
}

/** As many of the first as have room. */
function fitting(pieces: readonly string[], columns: number): readonly string[] {
  let left = columns;
  const end = pieces.findIndex((each) => (left -= columnsOf(each)) < 0);
  return end < 0 ? pieces : pieces.slice(0, end);
}
