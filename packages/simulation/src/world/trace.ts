/**
 * What happened in a world, in two forms: a number that two runs have in common only if they were the same to the last event, and, where somebody
 * wants to read it, lines of text. The number costs almost nothing and is always kept.
 */

/** What a note is of. */
export const notes = [
  'dial',
  'open',
  'send',
  'execute',
  'reply',
  'message',
  'close',
  'timer',
  'call',
  'hold',
  'leave',
  'lost',
  'refusal',
  'fault',
  'end',
] as const;
export type Note = (typeof notes)[number];

const codes = new Map<Note, number>(notes.map((note, code) => [note, code + 1]));
const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);

/** See the module comment. */
export class Trace {
  #low = 0x811c9dc5;
  #high = 0x01000193;
  readonly #lines: string[] | undefined;

  /** @param lines - kept as text as well. */
  constructor(lines: 'with text' | 'number only') {
    this.#lines = lines === 'with text' ? [] : undefined;
  }

  /** @param actor - a small number that names who it happened to. */
  note(at: number, note: Note, actor: number, text: () => string): void {
    double[0] = at;
    this.#mix(halves[0] as number);
    this.#mix(halves[1] as number);
    this.#mix((codes.get(note) as number) + 64 * actor);
    if (this.#lines !== undefined) {
      const line = text();
      this.#lines.push(`${at.toFixed(3).padStart(12)}  ${note.padEnd(8)} ${line}`);
    }
  }

  get text(): readonly string[] {
    return this.#lines ?? [];
  }

  /** Of all notes so far, in their order. */
  get digest(): string {
    return (this.#high >>> 0).toString(16).padStart(8, '0') + (this.#low >>> 0).toString(16).padStart(8, '0');
  }

  #mix(value: number): void {
    this.#low = Math.imul(this.#low ^ value, 0x01000193);
    this.#low ^= this.#low >>> 13;
    this.#high = (Math.imul(this.#high, 0x5bd1e995) + this.#low) | 0;
  }
}
