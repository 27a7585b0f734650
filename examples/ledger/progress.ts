/** How far a run is. */
export interface Step {
  readonly applied: number;
  readonly of: number;
  /** Attempts that found an account busy for too long. */
  readonly busy: number;
  /** Workers that are alive. */
  readonly workers: number;
}

// Short enough for 80 columns with the rest: a line that wraps cannot be drawn over.
const barWidth = 12;

/** Shows how far a run is: one line that changes on a terminal, a line a second elsewhere. */
export class Progress {
  readonly #title: string;
  readonly #out: NodeJS.WriteStream;

  constructor(title: string, out: NodeJS.WriteStream) {
    this.#title = title;
    this.#out = out;
  }

  /** @returns what ends it, after a last line. */
  show(step: () => Step): () => void {
    const startedAt = performance.now();
    const draw = () => {
      const line = this.#line(step(), (performance.now() - startedAt) / 1_000);
      this.#out.write(this.#out.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
    };
    const timer = setInterval(draw, this.#out.isTTY ? 100 : 1_000);
    return () => {
      clearInterval(timer);
      draw();
      if (this.#out.isTTY) this.#out.write('\n');
    };
  }

  #line({ applied, of, busy, workers }: Step, seconds: number): string {
    const filled = Math.round((barWidth * applied) / of);
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
    return `${this.#title} ${bar} ${applied}/${of}, ${workers} workers, ${busy} tried again, ${seconds.toFixed(1)} s`;
  }
}
