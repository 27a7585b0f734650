import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** How the Java program reaches Redis; what is absent is Redisson's default. See `Settings.java`. */
export interface JavaSettings {
  readonly topology: 'single' | 'cluster';
  /** `redis://host:port`. */
  readonly nodes: readonly string[];
  readonly watchdogTimeoutMs?: number;
  /** Put before every name by a NameMapper. */
  readonly keyPrefix?: string;
  readonly shardedSubscriptionMode?: 'AUTO' | 'ON' | 'OFF';
}

/** What is an `RLock` in Java. */
export type JavaLockKind = 'plain' | 'fair' | 'spin' | 'fenced' | 'read' | 'write' | 'multi';

/** What an operation is given; see `Request.java`. */
export interface JavaRequest {
  readonly thread?: string;
  readonly name?: string;
  readonly kind?: JavaLockKind | 'semaphore' | 'expirable' | 'latch';
  readonly waitMs?: number;
  readonly leaseMs?: number;
  /** Permits, or the count of a latch; default 1. */
  readonly count?: number;
  /** A permit of an expirable semaphore. */
  readonly permit?: string;
  readonly counter?: string;
  readonly threads?: number;
  readonly sections?: number;
}

/** When an operation began and ended, in microseconds of the machine's monotonic clock: see {@link nowUs}. */
export interface Timing {
  readonly startedUs: number;
  readonly endedUs: number;
}

interface Reply extends Timing {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly type: string; readonly message: string };
}

/** An operation threw in Java: `name` is the simple name of the exception's class. */
export class JavaError extends Error {
  override readonly name: string;

  constructor({ type, message }: { type: string; message: string }) {
    super(message);
    this.name = type;
  }
}

/** Microseconds of the machine's monotonic clock, which Java's `System.nanoTime` reads too: comparable between processes. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** A JVM with one Redisson client, which does what the test calls. Ends with the test process, however that ends. */
export class JavaPeer {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #calls = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  #complaints = '';
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.on('data', (chunk) => {
      this.#complaints = (this.#complaints + String(chunk)).slice(-10_000);
    });
    if (child.stdout !== null) createInterface(child.stdout).on('line', (line) => this.#take(JSON.parse(line)));
    child.stdin?.on('error', () => undefined); // it has ended, which is told below
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#complaints += error.message;
        resolve();
      });
      child.once('close', () => resolve());
    });
    void this.#ended.then(() => this.#failCalls());
  }

  /** Resolves when Redisson is connected. */
  static async start(settings: JavaSettings): Promise<JavaPeer> {
    const classPath = process.env['HOLDFAST_INTEROP_CLASSPATH'];
    if (classPath === undefined) throw new Error('run these tests with: npm run interop');
    const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-Xmx256m'];
    const peer = new JavaPeer(
      spawn('java', [...quickStart, '-cp', classPath, 'holdfast.interop.Main', JSON.stringify(settings)]),
    );
    await peer.#reply(0);
    return peer;
  }

  /** Performs an operation of `Locks.java`. Rejects with {@link JavaError}. May be left alone: a killed peer rejects its open calls. */
  async call<Value = unknown>(op: string, request: JavaRequest = {}): Promise<Value> {
    return (await this.timed(op, request)).value as Value;
  }

  /** As {@link call}, with the time the operation took in Java. */
  timed(op: string, request: JavaRequest = {}): Promise<Timing & { value: unknown }> {
    const id = ++this.#lastId;
    const done = this.#reply(id).then(({ value, error, startedUs, endedUs }) => {
      if (error !== undefined) throw new JavaError(error);
      return { value, startedUs, endedUs };
    });
    done.catch(() => undefined);
    this.#child.stdin?.write(`${JSON.stringify({ id, op, ...request })}\n`);
    return done;
  }

  /** What it has complained of, its last part. */
  get complaints(): string {
    return this.#complaints;
  }

  /** A thread of its own in Java: the owner, for Redisson. */
  thread(thread: string): JavaThread {
    return new JavaThread(this, thread);
  }

  /** SIGKILL: as a crash. Resolves when it has gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #reply(id: number): Promise<Reply> {
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }

  #take(reply: Reply): void {
    const call = this.#calls.get(reply.id);
    this.#calls.delete(reply.id);
    call?.resolve(reply);
  }

  #failCalls(): void {
    for (const { reject } of this.#calls.values()) reject(new Error(`Java has ended\n${this.#complaints}`));
    this.#calls.clear();
  }
}

/** Redisson's `RLock`, in one Java thread. */
export class JavaThread {
  readonly #peer: JavaPeer;
  readonly #thread: string;

  constructor(peer: JavaPeer, thread: string) {
    this.#peer = peer;
    this.#thread = thread;
  }

  lock(name: string, options: Pick<JavaRequest, 'leaseMs' | 'kind'> = {}): Promise<Timing> {
    return this.#peer.timed('lock', { thread: this.#thread, name, ...options });
  }

  tryLock(name: string, options: Pick<JavaRequest, 'waitMs' | 'leaseMs' | 'kind'> = {}): Promise<boolean> {
    return this.#peer.call('tryLock', { thread: this.#thread, name, ...options });
  }

  unlock(name: string, options: Pick<JavaRequest, 'kind'> = {}): Promise<Timing> {
    return this.#peer.timed('unlock', { thread: this.#thread, name, ...options });
  }

  forceUnlock(name: string): Promise<boolean> {
    return this.#peer.call('forceUnlock', { thread: this.#thread, name });
  }

  isLocked(name: string): Promise<boolean> {
    return this.#peer.call('isLocked', { thread: this.#thread, name });
  }

  isHeldByCurrentThread(name: string): Promise<boolean> {
    return this.#peer.call('isHeldByCurrentThread', { thread: this.#thread, name });
  }

  holdCount(name: string): Promise<number> {
    return this.#peer.call('holdCount', { thread: this.#thread, name });
  }

  remainTimeToLive(name: string): Promise<number> {
    return this.#peer.call('remainTimeToLive', { thread: this.#thread, name });
  }

  /** An operation of another kind of object than a lock. */
  call<Value>(op: string, request: JavaRequest): Promise<Value> {
    return this.#peer.call(op, { thread: this.#thread, ...request });
  }

  /** As {@link call}, with the time the operation took in Java. */
  timed(op: string, request: JavaRequest): Promise<Timing & { value: unknown }> {
    return this.#peer.timed(op, { thread: this.#thread, ...request });
  }

  /** `<client id>:<thread id>`: how Redis knows the owner. */
  ownField(): Promise<string> {
    return this.#peer.call('ownField', { thread: this.#thread });
  }
}
