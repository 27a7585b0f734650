import type { ScriptPort } from '@holdfast/core';
import type { Line, NodeLine, ReplicaTerms } from './line.js';
import { askingPort } from './script-port.js';

/** The same line for a command that its server does not expect yet: its slot is on the way there. */
export class AskingLine implements Line {
  readonly port: ScriptPort;
  readonly #line: NodeLine;

  constructor(line: NodeLine) {
    this.#line = line;
    this.port = askingPort(line.redis, line.port);
  }

  get node(): string {
    return this.#line.node;
  }

  get ready(): boolean {
    return this.#line.ready;
  }

  get retired(): boolean {
    return this.#line.retired;
  }

  get epoch(): number {
    return this.#line.epoch;
  }

  get trouble(): Error | undefined {
    return this.#line.trouble;
  }

  sent(at: number): void {
    this.#line.sent(at);
  }

  get roundTripMs(): number {
    return this.#line.roundTripMs;
  }

  took(ms: number): void {
    this.#line.took(ms);
  }

  answered(at: number): void {
    this.#line.answered(at);
  }

  outOfStep(error: Error): 'replaced' | 'kept' {
    return this.#line.outOfStep(error);
  }

  gather(): void {
    this.#line.gather();
  }

  replicated(enough: ReplicaTerms, epoch: number): Promise<number> {
    return this.#line.replicated(enough, epoch);
  }
}
