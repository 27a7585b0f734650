/** How many callers a site names when there is a listener. More would cost every lock that is held more memory than all the rest of it. */
export const CALLERS = 4;
/** And when there is none, for a warning that may come. */
export const CALLER_ONLY = 1;

/** A function whose caller is meant: what stands below it in the stack is the user's. */
export type Entry = (...args: never[]) => unknown;

/**
 * What an entry returns, of a call in its own frame. As the last thing that the entry does, the call would take the place of that frame where tail
 * calls do so (JavaScriptCore, in Bun): no site could begin below an entry that is not on the stack. There a function is known by its name, too:
 * none between an entry and its site may have the name of an entry.
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
