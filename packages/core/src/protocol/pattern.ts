/** A text as a pattern of Redis that matches it and nothing else. */
export function literally(text: string): string {
  return text.replaceAll(/[*?[\]\\^]/g, String.raw`\$&`);
}
