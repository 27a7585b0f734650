import type { Io } from './io.js';

/** What a terminal may be told; of xterm, and of all that act like it. */
const codes = {
  enter: '\u001B[?1049h\u001B[?25l\u001B[?7l',
  leave: '\u001B[?7h\u001B[?25h\u001B[?1049l',
  home: '\u001B[H',
  endOfLine: '\u001B[K',
  endOfScreen: '\u001B[J',
} as const;

/**
 * A page of a terminal that is drawn anew again and again. It has a screen of its own, so what stood on the terminal stands there again afterwards. A frame
 * is one piece of text, written over the last one without wiping it: nothing flickers. Lines that are too long are cut off by the terminal, which knows
 * how wide each character is.
 */
export class Screen {
  readonly #io: Io;
  #isOpen = false;

  constructor(io: Io) {
    this.#io = io;
  }

  /** How many lines a frame may have. */
  get rows(): number {
    return this.#io.size().rows;
  }

  draw(lines: readonly string[]): void {
    const shown = lines.slice(0, this.rows).map((line) => line + codes.endOfLine);
    this.#io.write(`${this.#isOpen ? '' : codes.enter}${codes.home}${shown.join('\r\n')}${codes.endOfScreen}`);
    this.#isOpen = true;
  }

  /** Leaves the terminal as it was. */
  close(): void {
    if (this.#isOpen) this.#io.write(codes.leave);
    this.#isOpen = false;
  }
}
