import type { ScriptPort } from '@holdfast/core';
import type { Connection, ReplicaTerms } from './connection.js';
import type { NodeConnection } from './node-connection.js';
import { askingPort } from './ioredis-script-port.js';

/** The same connection for a command that its server does not expect yet: its slot is on the way there. */
export class AskingConnection implements Connection {
  readonly port: ScriptPort;
  readonly #connection: NodeConnection;

  constructor(connection: NodeConnection) {
    this.#connection = connection;
    this.port = askingPort(connection.redis, connection.port);
  }

  get node(): string {
    return this.#connection.node;
  }

  get ready(): boolean {
    return this.#connection.ready;
  }

  get retired(): boolean {
    return this.#connection.retired;
  }

  get epoch(): number {
    return this.#connection.epoch;
  }

  get trouble(): Error | undefined {
    return this.#connection.trouble;
  }

  sent(at: number): void {
    this.#connection.sent(at);
  }

  get roundTripMs(): number {
    return this.#connection.roundTripMs;
  }

  took(ms: number, at: number): void {
    this.#connection.took(ms, at);
  }

  answered(at: number): void {
    this.#connection.answered(at);
  }

  outOfStep(error: Error): 'replaced' | 'kept' {
    return this.#connection.outOfStep(error);
  }

  gather(): void {
    this.#connection.gather();
  }

  replicated(enough: ReplicaTerms, epoch: number): Promise<number> {
    return this.#connection.replicated(enough, epoch);
  }
}
