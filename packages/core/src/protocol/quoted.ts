/** A longer text is cut. */
const MOST = 64;

/** A text for a message, in quotes. What controls a terminal, a line or the direction of writing is escaped. */
export function quoted(text: string): string {
  const shown = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  return JSON.stringify(shown).replaceAll(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
