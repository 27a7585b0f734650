import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { whenThisProcessEnds } from '../redis/guardian.mjs';
import { bundleProgram } from './bundle-program.js';
import type { FromWorker, SentError, ToWorker, WorkerMethods } from './messages.js';

/** What to run a worker with. */
export interface SpawnWorkerOptions {
  /** Command line arguments: `process.argv.slice(2)` in the worker. */
  args?: string[];
  /** Added to this process's environment. */
  env?: Record<string, string>;
  /** What `import 'ioredis'` gives, also deep inside the packages under test: another package, e.g. `'ioredis5'`, or a file beside the worker's. */
  ioredis?: string;
}

/** Something the worker reported through `emit`. */
export interface WorkerEvent {
  event: string;
  data: unknown;
}

/** How a worker ended. */
export interface WorkerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

type AnyMethods = Record<string, (...args: unknown[]) => unknown>;
type Call = { resolve: (value: unknown) => void; reject: (error: Error) => void };

/** How much of what a worker prints is kept for error messages. */
const keptOutputLength = 20_000;

function received({ name, message, stack, code }: SentError): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = `${stack}\n    (in the worker)`;
  return Object.assign(error, { name, ...(code === undefined ? {} : { code }) });
}

/** A child process that does what the test calls. Made by {@link spawnWorker}. */
export class TestWorker<Methods extends WorkerMethods = AnyMethods> {
  /** What the worker has reported, in order; it grows. Wait for one with `waitUntil`. */
  readonly events: readonly WorkerEvent[];
  /** Resolves when the process has ended, however. Never rejects. */
  readonly exited: Promise<WorkerExit>;
  /** Resolves when the worker serves calls; rejects when it ends before that. */
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, Call>();
  readonly #received: WorkerEvent[] = [];
  #output = '';
  #lastId = 0;
  #hasExited = false;

  /** Tests call {@link spawnWorker}. */
  constructor(child: ChildProcess) {
    this.#child = child;
    this.events = this.#received;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output = (this.#output + String(chunk)).slice(-keptOutputLength);
      });
    }
    this.exited = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#output += error.message;
        resolve({ code: null, signal: null });
      });
      // Unlike 'exit', 'close' comes when the last output and message have been read too.
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
    this.ready = new Promise((resolve, reject) => this.#calls.set(0, { resolve: () => resolve(), reject }));
    child.on('message', (message: FromWorker) => this.#take(message));
    void this.exited.then((exit) => this.#failCalls(exit));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** What the worker has printed, its last part. */
  get output(): string {
    return this.#output;
  }

  /**
   * Runs a method in the worker. Rejects with the worker's error, or when the worker ends first; that rejection may be
   * left alone, since a test that kills a worker has usually a call open there.
   */
  call<Name extends keyof Methods & string>(
    method: Name,
    ...args: Parameters<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>>;
  call(method: string, ...args: unknown[]): Promise<unknown> {
    const id = ++this.#lastId;
    const result = new Promise<unknown>((resolve, reject) => {
      if (this.#hasExited) {
        reject(new Error(`the worker has ended; ${method} cannot be called`));
        return;
      }
      this.#calls.set(id, { resolve, reject });
      this.#send({ kind: 'call', id, method, args });
    });
    result.catch(() => undefined);
    return result;
  }

  /** Sends a signal: SIGKILL, or SIGSTOP and SIGCONT for a process that is frozen for a while. */
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** No calls follow. Resolves when the worker has ended by itself, as it does once nothing keeps it alive. */
  async finish(): Promise<WorkerExit> {
    if (!this.#hasExited) this.#send({ kind: 'finish' });
    return this.exited;
  }

  /** Ends the worker at once. For cleaning up: does nothing when it has ended. */
  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  #send(message: ToWorker): void {
    this.#child.send(message, () => undefined); // a failure means that the worker has gone; `exited` says so
  }

  #take(message: FromWorker): void {
    if (message.kind === 'event') {
      this.#received.push({ event: message.event, data: message.data });
      return;
    }
    const id = message.kind === 'ready' ? 0 : message.id;
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (message.kind === 'error') call?.reject(received(message.error));
    else call?.resolve(message.kind === 'ready' ? undefined : message.value);
  }

  #failCalls({ code, signal }: WorkerExit): void {
    this.#hasExited = true;
    const error = new Error(`the worker ended (${signal ?? `code ${code}`}) before it answered\n${this.#output}`);
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}

/**
 * Runs a TypeScript file, which calls `serveWorker`, in a process of its own, on the sources of the workspace packages.
 * Resolves when it serves calls. It ends with the test process, however that ends.
 *
 * `spawnWorker<typeof methods>(…)` types the calls, where the worker's file exports its `methods` (import it as a type).
 *
 * @param file a path or a `file:` URL, e.g. `new URL('./holder.worker.ts', import.meta.url)`
 */
export async function spawnWorker<Methods extends WorkerMethods = AnyMethods>(
  file: string | URL,
  options: SpawnWorkerOptions = {},
): Promise<TestWorker<Methods>> {
  const url = typeof file === 'string' && !file.startsWith('file:') ? pathToFileURL(file) : new URL(file);
  const path = fileURLToPath(url);
  const program = await bundleProgram(path, { ioredis: options.ioredis });
  const child = spawn(process.execPath, [program, ...(options.args ?? [])], {
    cwd: dirname(path),
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const unguard = whenThisProcessEnds('kill -9 "$1"', String(child.pid)); // a stopped worker cannot end itself
  const worker = new TestWorker<Methods>(child);
  void worker.exited.then(unguard);
  await worker.ready;
  return worker;
}
