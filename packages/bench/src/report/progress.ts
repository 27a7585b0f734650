import type { WriteStream } from 'node:tty';

/** One line that says what goes on now; nothing where nobody watches. */
export class Progress {
  readonly #out: WriteStream;

  constructor(out: WriteStream) {
    this.#out = out;
  }

  show(step: string): void {
    if (this.#out.isTTY) this.#out.write(`\r\u001B[K${step.slice(0, this.#out.columns - 1)}`);
  }

  clear(): void {
    if (this.#out.isTTY) this.#out.write('\r\u001B[K');
  }
}
