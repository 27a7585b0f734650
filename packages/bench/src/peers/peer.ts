/**
 * What a lock library looks like to the benchmark. One small file beside this one makes each library look like it, at its best
 * configuration, and says which that is.
 */

import type { Language } from '../programs/program.js';

/** What to connect to, and how. */
export interface ConnectOptions {
  readonly url: string;
  /** Of further servers, for a peer that needs them. */
  readonly others: readonly string[];
  /** `auto`: ioredis puts the commands of one turn of the event loop into one write (`enableAutoPipelining`). */
  readonly pipelining: 'plain' | 'auto';
  /** Lease of every lock. Renewed where the library does that. */
  readonly leaseMs: number;
}

/** What a library can do, where a workload depends on it. */
export interface Traits {
  /**
   * `floor`: no lock library but what bounds one, so without waiting. `sibling`: another lock of ours, and `sharing sibling`: one that several have at
   * once; both are measured against the re-entrant lock only. `majority`: what several servers hold together. `value`: a way to have a value that is computed once. `neighbour`: ours where it shares
   * names with another language's. `entry`: another way into the re-entrant lock.
   */
  readonly kind: 'lock' | 'floor' | 'sibling' | 'sharing sibling' | 'majority' | 'value' | 'neighbour' | 'entry';
  /** Keeps the lease of a held lock alive. */
  readonly renews: boolean;
  /** Lets a task take a lock that it holds. */
  readonly reenters: boolean;
  /** Absent: in Node. */
  readonly runsIn?: Language;
  /** How many servers it needs. Default 1. */
  readonly servers?: number;
}

/** A library, or a floor. */
export interface Peer extends Traits {
  readonly name: string;
  /** The npm package whose version is printed, as `package.json` here names it, or what the program of its language calls it; absent for what is written here. */
  readonly package?: string;
  /** What it is divided by where Node's libraries are divided by *SET NX*: the same through its own client. */
  readonly floor?: string;
  /** How it is configured, for the report. */
  readonly settings: string;
  connect(options: ConnectOptions): Promise<PeerClient>;
}

/** One process's use of a library. The processes of the benchmark are killed when they are done, so there is nothing to close. */
export interface PeerClient {
  /** For one task. Tasks share what the library lets them share. */
  locker(): Locker;
}

/** A library as one task uses it. */
export interface Locker {
  /** Runs `section` inside the lock, which it waits for as long as it takes. */
  run(name: string, section: () => unknown): Promise<unknown>;
  /** One attempt; what it gets it gives back. Answers whether it got the lock. */
  tryOnce(name: string): Promise<boolean>;
  /** Takes the lock and keeps it alive if it can; what it resolves to gives it back. */
  hold(name: string): Promise<() => Promise<unknown>>;
}

/** Takes and gives back, for a library without a `run` of its own. */
export async function inside(acquired: Promise<() => Promise<unknown>>, section: () => unknown): Promise<void> {
  const release = await acquired;
  try {
    await section();
  } finally {
    await release();
  }
}

/** Remembers what a task made for each name: lock objects are to be made once. */
export function perName<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    let one = made.get(name);
    if (one === undefined) made.set(name, (one = make(name)));
    return one;
  };
}

/**
 * A hold for a library that renews only around a function: the function lasts until the hold is given back. `using` is given what to run
 * inside the lock.
 */
export async function heldBy(
  using: (inside: () => Promise<void>) => Promise<unknown>,
): Promise<() => Promise<unknown>> {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  let used: Promise<unknown> = Promise.resolve();
  await new Promise<void>((entered, failed) => {
    used = using(() => {
      entered();
      return left;
    });
    used.catch(failed);
  });
  return () => {
    leave();
    return used;
  };
}
