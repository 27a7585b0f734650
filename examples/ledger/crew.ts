import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { LockClientStats } from 'holdfast';
import type { Transfer } from './csv.js';
import type { FromWorker, ToWorker } from './messages.js';

export type Settled = Extract<FromWorker, { kind: 'settled' }>;

/** A worker process as the main process sees it. */
export class Worker {
  /** The transfers it was handed and has not settled. */
  readonly inHand = new Map<string, Transfer>();
  readonly #process: ChildProcess;
  readonly #listeners: ((settled: Settled) => void)[] = [];
  #clientId = '';
  #stats: LockClientStats | undefined;
  #killed = false;

  /** @param guarding - what keeps its transfers apart. */
  constructor(keyPrefix: string, guarding: 'locks' | 'no-locks') {
    this.#process = fork(new URL('worker.ts', import.meta.url), [keyPrefix, guarding]);
    this.#process.on('message', (message: FromWorker) => this.#hear(message));
  }

  /** Resolves when it can be handed transfers. */
  async ready(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#process.once('message', () => resolve());
      this.onExit((how) => reject(new Error(`A worker ended before it was ready: ${how}`)));
    });
  }

  /** Id of its lock client: the owners of its locks begin with it. */
  get clientId(): string {
    return this.#clientId;
  }

  /** Its lock client's, once it has finished. */
  get stats(): LockClientStats | undefined {
    return this.#stats;
  }

  get alive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Whether its end was our doing. */
  get killed(): boolean {
    return this.#killed;
  }

  onSettled(listener: (settled: Settled) => void): void {
    this.#listeners.push(listener);
  }

  onExit(listener: (how: string) => void): void {
    this.#process.once('exit', (code, signal) => listener(signal ?? `exit code ${code}`));
  }

  hand(transfer: Transfer): void {
    this.inHand.set(transfer.id, transfer);
    this.#tell({ kind: 'apply', transfer });
  }

  async finish(): Promise<void> {
    if (!this.alive) return;
    const exited = once(this.#process, 'exit');
    this.#tell({ kind: 'finish' });
    await exited;
  }

  async kill(): Promise<void> {
    if (!this.alive) return;
    const exited = once(this.#process, 'exit');
    this.#killed = true;
    this.#process.kill('SIGKILL');
    await exited;
  }

  pause(): void {
    this.#process.kill('SIGSTOP');
  }

  resume(): void {
    this.#process.kill('SIGCONT');
  }

  #tell(message: ToWorker): void {
    // A worker that has just died cannot be told anything; its exit is seen, and what it had in hand is done by others.
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  #hear(message: FromWorker): void {
    if (message.kind === 'ready') this.#clientId = message.clientId;
    else if (message.kind === 'finished') this.#stats = message.stats;
    else {
      this.inHand.delete(message.id);
      for (const listener of this.#listeners) listener(message);
    }
  }
}
