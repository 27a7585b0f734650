/** How many callers a site names when there is a listener. More would cost every lock that is held more memory than all the rest of it. */
export const CALLERS = 4;
/** And when there is none, for a warning that may come. */
export const CALLER_ONLY = 1;

/** A function whose caller is meant: what stands below it in the stack is the user's. */
export type Entry = (...args: never[]) => unknown;

/** The method of that name, to be looked for on the stack and never called: see {@link inFrame} for what it may call. */
export function methodOf<N extends string>(object: Readonly<Record<N, Entry>>, name: N): Entry {
  return object[name];
}

/**
 * Keeps the entry that returns it on the stack. JavaScriptCore (Bun) lets a call that is the last thing a function does take that function's place, and a site
 * begins below the entry, which has to be there. JavaScriptCore also finds the entry by its name: no function that it calls may be called the same.
 */
export function inFrame<T>(call: Promise<T>): Promise<T> {
  return Promise.resolve(call);
}

/**
 * Where a lock was asked for. Only the raw frames are noted, because every call pays for it and few are ever reported; they become text when
 * `stack` is read.
 */
export class Site {
  declare readonly stack: unknown;

  constructor(below: Entry, frames: number) {
    const usual = Error.stackTraceLimit;
    // Not by assignment, which throws where intrinsics are frozen.
    Reflect.set(Error, 'stackTraceLimit', Math.min(usual, frames));
    Error.captureStackTrace(this, below);
    Reflect.set(Error, 'stackTraceLimit', usual);
  }

  /** The stack without its first line. */
  get frames(): string {
    const text = this.text ?? '';
    return text.slice(text.indexOf('\n') + 1);
  }

  /** See {@link stackOf}. Read once, it keeps nothing alive any more: raw frames keep what their functions were called on. */
  get text(): string | undefined {
    return stackOf(this);
  }

  /** The first line of the stack. */
  get message(): string {
    return 'The lock was asked for here';
  }
}

/** A stack if it is text: what `Error.prepareStackTrace` of the process makes of it may be anything, or an exception. */
export function stackOf(noted: { readonly stack?: unknown }): string | undefined {
  try {
    const { stack } = noted;
    return typeof stack === 'string' ? stack : undefined;
  } catch {
    return undefined;
  }
}
