import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { diag } from '@opentelemetry/api';
import type { LockDiagnostics, LockTraces } from 'holdfast';

/** What was started, until it is stopped. */
export interface Subscription extends Disposable {
  /** Hears nothing more. Spans that are open stay open; levels lose what is open. */
  stop(): void;
}

/** The steps of a traced call that matter here. */
export interface Steps<T> {
  readonly start?: (trace: T) => void;
  readonly asyncEnd: (trace: T) => void;
}

/** Subscriptions that end together. What a listener throws is told to `diag`: thrown on, it would end the process. */
export class Subscriptions implements Subscription {
  readonly #ends: (() => void)[] = [];

  /** Calls `listen` for each message of a channel. */
  to<N extends keyof LockDiagnostics>(name: N, listen: (message: LockDiagnostics[N]) => void): void {
    this.#subscribe(name, listen);
  }

  /** Calls `steps` for each call or section that a tracing channel tells of. */
  toTrace<N extends keyof LockTraces>(name: N, { start, asyncEnd }: Steps<LockTraces[N]>): void {
    const channel = tracingChannel(name);
    if (start !== undefined) this.#subscribe(channel.start.name, start);
    this.#subscribe(channel.asyncEnd.name, asyncEnd);
  }

  /** Something else that ends with them. */
  add(end: () => void): void {
    this.#ends.push(end);
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #subscribe(name: string | symbol, listen: (message: never) => void): void {
    const guarded = (message: unknown) => guard(() => listen(message as never));
    subscribe(name, guarded);
    this.add(() => unsubscribe(name, guarded));
  }
}

/** Runs `work`; what it throws is told to `diag`, and the outcome is undefined. */
export function guard<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    diag.error('@holdfast/opentelemetry: a message about a lock could not be taken in', error);
    return undefined;
  }
}
