import { systemClock } from '@holdfast/watchdog';
import type { EndSignal, Io } from './io.js';

const signals: readonly EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Whether a command that goes on for ever has been told to end: by Ctrl+C, by another signal, or because nobody reads what it writes. */
export class Ending {
  readonly #clock = systemClock();
  readonly #undo: readonly (() => void)[];
  #isAsked = false;
  /** Resolves when it is told to. */
  readonly asked: Promise<void>;

  constructor(io: Io) {
    let tell!: () => void;
    this.asked = new Promise((resolve) => (tell = resolve));
    const end = () => {
      this.#isAsked = true;
      tell();
    };
    this.#undo = [...signals.map((signal) => io.onSignal(signal, end)), io.onUnread(end)];
  }

  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Resolves after a time, or when it is told to end. */
  async pause(ms: number): Promise<void> {
    let end!: () => void;
    const over = new Promise<void>((resolve) => (end = resolve));
    const timer = this.#clock.setTimer(end, ms);
    await Promise.race([over, this.asked]);
    this.#clock.clearTimer(timer);
  }

  /** Signals end the process again. */
  close(): void {
    for (const undo of this.#undo) undo();
  }
}
