// What a step has to play on: a server of its own, as many more as it asks for, connections, lock clients and other processes. All of it ends with the step.
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type RedisServer, startPrivateRedis } from '@holdfast/testkit';
import { createLockClient, type LockClient, type LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';

/** How long things are, so that the same steps make a tour and a test. */
export interface Tempo {
  /** A lease that is meant to run out. */
  readonly shortMs: number;
  /** A lease that is renewed, and must not run out. */
  readonly watchdogMs: number;
  /** For so many renewals a holder works that must not lose its lock. */
  readonly renewals: number;
  /** How many processes wait at once, where that is the question. */
  readonly crowds: readonly number[];
  /** How often each of those who spin must have asked before load is compared. */
  readonly askings: number;
  /** How often a lock changes hands, where wake-up is the question. */
  readonly handovers: number;
}

/** What was seen, and whether it is what the step is there to show. */
export interface Finding {
  readonly seen: boolean;
  readonly text: string;
  /** The same for the table at the end. */
  readonly inShort: string;
}

/** What the plots are made of. */
export interface Figures {
  readonly outlived?: { readonly leaseMs: number; readonly a: Interval; readonly b: Interval };
  readonly loads?: readonly Load[];
  readonly delays?: readonly Delays[];
  readonly handover?: { readonly waiters: number; readonly herd: number; readonly named: number };
}

/** What a crowd of one kind asks of Redis while it waits. */
export interface Load {
  readonly kind: string;
  readonly waiters: number;
  readonly requests: number;
  readonly windowMs: number;
}

/** From a release to the next owner, shortest first, in milliseconds. */
export interface Delays {
  readonly kind: string;
  readonly sortedMs: readonly number[];
}

/** A step, played. */
export interface Outcome {
  readonly flaw: Finding;
  readonly cure: Finding;
  readonly holdfast: Finding;
  readonly figures?: Figures;
}

/** One of the eleven systems: what is wrong with it, and what cures that. */
export interface Step {
  readonly system: string;
  readonly flaw: string;
  readonly cure: string;
  play(stage: Stage): Promise<Outcome>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

export class Stage {
  readonly tempo: Tempo;
  readonly server: RedisServer;
  readonly #ends: (() => unknown)[] = [];

  private constructor(tempo: Tempo, server: RedisServer) {
    this.tempo = tempo;
    this.server = server;
    this.#ends.push(() => server.stop());
  }

  static async open(tempo: Tempo): Promise<Stage> {
    return new Stage(tempo, await startPrivateRedis());
  }

  /** A name that no other demonstration has. */
  name(what: string): string {
    return `evolution:${what}:${randomUUID().slice(0, 8)}`;
  }

  /** Another server that ends with the step. */
  async startServer(): Promise<RedisServer> {
    const server = await startPrivateRedis();
    this.#ends.push(() => server.stop());
    return server;
  }

  /** A connection as each of the systems would have it. */
  redis(url: string = this.server.url): Redis {
    const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
    redis.on('error', () => undefined); // servers die here on purpose
    this.#ends.push(() => redis.disconnect());
    return redis;
  }

  /** A client of holdfast, as a process of its own would have one. */
  locks(options: Partial<LockClientOptions> = {}): LockClient {
    return this.whenOver(
      createLockClient({ redis: this.server.url, watchdogTimeoutMs: this.tempo.watchdogMs, ...options }),
      (client) => client.close(),
    );
  }

  /** Another process: see other-process.ts. It is killed when the step ends. */
  process(role: string, ...names: string[]): OtherProcess {
    const child = fork(fileURLToPath(new URL('other-process.ts', import.meta.url)), [role, this.server.url, ...names], {
      cwd: root,
      execArgv: ['--conditions=@holdfast/source', '--import', 'tsx'],
    });
    return this.whenOver(new OtherProcess(child), (other) => other.kill());
  }

  /** `thing`, which `end` ends with the step. */
  whenOver<T>(thing: T, end: (thing: T) => unknown): T {
    this.#ends.push(() => end(thing));
    return thing;
  }

  async close(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
  }
}

export class OtherProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exit = once(child, 'exit');
  }

  /** What it says next. */
  async says<T>(): Promise<T> {
    const died = this.#exit.then(() => Promise.reject(new Error('the other process has ended')));
    const [message] = await Promise.race([once(this.#child, 'message'), died]);
    return message as T;
  }

  /** SIGKILL: no line of it runs any more, no `finally` either. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }
}

/** An interval of work, in milliseconds since the demonstration began. */
export type Interval = readonly [from: number, to: number];

/** For how many milliseconds both worked. */
export const overlapMs = (a: Interval, b: Interval): number => Math.max(0, Math.min(a[1], b[1]) - Math.max(a[0], b[0]));

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
export const millis = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
export const perSecond = ({ requests, windowMs }: Load): number => (1_000 * requests) / windowMs;
export const requests = (count: number): string => (count === 1 ? '1 request' : `${count} requests`);
