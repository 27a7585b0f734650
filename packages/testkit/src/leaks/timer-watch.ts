/**
 * Timers that are set while the watch is on, and where.
 *
 * Node can say how many timers there are in the process, but a test runner sets some of its own meanwhile (jest's
 * progress line does), and unref'd ones do not count there. So the watch sees each timer made, through async_hooks, and
 * remembers the stack: it tells the runner's timers from the test's and puts the line of code into the report.
 */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** Whose timers are nobody's leak: the runner's, and AbortSignal.timeout, which cannot be cleared. */
const exempt = /[\\/]node_modules[\\/](\.pnpm[\\/])?@?jest|node:internal\/abort_controller/;
const innerFrame = /[( ](node:|<anonymous>\)?$)|[\\/]leaks[\\/]timer-watch\./;
const framesKept = 25;

/** The frame that set the timer, or undefined when it is exempt. */
function site(stack: string): string | undefined {
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  const outer = frames.findIndex((frame) => !innerFrame.test(frame));
  const leading = outer === -1 ? frames : frames.slice(0, outer + 1);
  if (leading.some((frame) => exempt.test(frame))) return undefined;
  return leading.at(-1)?.trim() ?? 'at an unknown place';
}

export class TimerWatch {
  readonly #own = new AsyncLocalStorage<true>();
  readonly #pending = new Map<number, Error>();
  readonly #hook = createHook({
    init: (asyncId, type) => {
      if (type !== 'Timeout' || this.#own.getStore() === true) return;
      const usual = Error.stackTraceLimit;
      Error.stackTraceLimit = framesKept;
      this.#pending.set(asyncId, new Error('a timer was set')); // its text is only made when it is asked for
      Error.stackTraceLimit = usual;
    },
    destroy: (asyncId) => {
      this.#pending.delete(asyncId);
    },
  });

  start(): void {
    this.#pending.clear();
    this.#hook.enable();
  }

  stop(): void {
    this.#hook.disable();
  }

  /** Where timers were set since `start` that have neither run nor been cleared, unref'd ones included, as sentences. */
  pending(): string[] {
    const sites = new Set([...this.#pending.values()].map(({ stack = '' }) => site(stack)));
    return [...sites].filter((found) => found !== undefined).map((found) => `a timer is still set: ${found}`);
  }

  /** Runs `fn`, whose own timers are not watched. */
  aside<T>(fn: () => T): T {
    return this.#own.run(true, fn);
  }
}
