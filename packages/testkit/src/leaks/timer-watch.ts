/**
 * Timers that are set while the watch is on, and where.
 *
 * Node can say how many timers there are in the process, but a test runner sets some of its own meanwhile (jest's
 * progress line does), and unref'd ones do not count there. So the watch sees each timer made, through async_hooks, and
 * remembers the stack: it tells the runner's timers from the test's and puts the line of code into the report.
 *
 * It is on during every test, so it must cost little. Whether a timer is over is read off the timer: a hook for that would make Node
 * track the end of every promise as well. And whose timer it is, is read off bare frames: a runner maps a stack to sources, which is slow.
 */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/**
 * Whose timers are nobody's leak: the runner's, AbortSignal.timeout, which cannot be cleared, and that of redis-parser, which lets its pool of buffers shrink a tenth
 * at a time after a long reply, and ends by itself.
 */
const exempt =
  /[\\/]node_modules[\\/](\.pnpm[\\/])?@?jest|node:internal\/abort_controller|resizeBuffer .*[\\/]redis-parser[\\/]/;
const innerFrame = /[( ](node:|<anonymous>\)?$)|[\\/]leaks[\\/]timer-watch\./;
const framesKept = 25;
/** So many timers are remembered before those that are over are looked for. */
const REMEMBERED = 1_000;

/** What Node tells of its timers. */
interface Timer {
  readonly _destroyed: boolean;
}

/** A stack that nobody has looked at yet: its frames as they are, and as the runner would show them. */
interface Stack {
  readonly frames: readonly string[];
  readonly mapped: () => readonly string[];
}

function readStack(made: Error): Stack {
  const runners = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  let sites: NodeJS.CallSite[] = [];
  Error.prepareStackTrace = (_, bare) => {
    sites = bare;
    return '';
  };
  try {
    void made.stack;
  } finally {
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    if (runners !== undefined) Object.defineProperty(Error, 'prepareStackTrace', runners);
  }
  const frames = sites.map((site: unknown) => `    at ${String(site)}`);
  const mapped = () => {
    const text: unknown = Error.prepareStackTrace?.(made, sites);
    return typeof text === 'string' ? framesOf(text) : frames;
  };
  return { frames, mapped };
}

function framesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('    at '));
}

/** Where a timer was set; made out when it is asked for, once. */
class Origin {
  readonly #made = new Error('a timer was set');
  #found: { readonly site: string | undefined } | undefined;

  /** The frame that set the timer, or undefined when it is exempt. */
  get site(): string | undefined {
    this.#found ??= { site: siteOf(this.#made) };
    return this.#found.site;
  }
}

function siteOf(made: Error): string | undefined {
  const { frames, mapped } = readStack(made);
  const outer = frames.findIndex((frame) => !innerFrame.test(frame));
  const last = outer === -1 ? frames.length - 1 : outer;
  if (frames.slice(0, last + 1).some((frame) => exempt.test(frame))) return undefined;
  return mapped()[last]?.trim() ?? 'at an unknown place';
}

export class TimerWatch {
  readonly #own = new AsyncLocalStorage<true>();
  readonly #made = new Set<WeakRef<Timer>>();
  /** Kept no longer than the timer: a stack holds on to the objects whose methods are in it. */
  readonly #origins = new WeakMap<Timer, Origin>();
  #lookAt = REMEMBERED;
  readonly #hook = createHook({
    init: (_, type, __, resource) => {
      if (type !== 'Timeout' || this.#own.getStore() === true) return;
      const usual = Error.stackTraceLimit;
      Error.stackTraceLimit = framesKept;
      this.#origins.set(resource as Timer, new Origin());
      this.#made.add(new WeakRef(resource as Timer));
      Error.stackTraceLimit = usual;
      if (this.#made.size > this.#lookAt) this.#forgetEnded();
    },
  });

  start(): void {
    this.#made.clear();
    this.#hook.enable();
  }

  stop(): void {
    this.#hook.disable();
  }

  /** Where timers were set since `start` that have neither run nor been cleared, unref'd ones included, as sentences. */
  pending(): string[] {
    this.#forgetEnded();
    const sites = new Set([...this.#made].map((timer) => this.#origins.get(timer.deref() as Timer)?.site));
    return [...sites].filter((found) => found !== undefined).map((found) => `a timer is still set: ${found}`);
  }

  /** Runs `fn`, whose own timers are not watched. */
  aside<T>(fn: () => T): T {
    return this.#own.run(true, fn);
  }

  #forgetEnded(): void {
    for (const timer of this.#made) if (timer.deref()?._destroyed !== false) this.#made.delete(timer);
    this.#lookAt = Math.max(REMEMBERED, 2 * this.#made.size);
  }
}
