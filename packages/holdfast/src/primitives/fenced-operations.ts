import * as core from '@holdfast/core';
import type { AskOptions, ReleaseOptions, StepOptions } from '../tenure/operations.js';
import { LockOperations } from './lock-operations.js';

/** The operations of the fenced lock: those of the re-entrant lock, by scripts that mint tokens for each owner. */
export class FencedOperations extends LockOperations {
  readonly #tokens: core.Minting['tokens'];

  constructor(keys: core.LockKeys, granting: core.Granting, tokens: core.Minting['tokens'], primitive = 'fenced') {
    super(keys, granting, primitive);
    this.#tokens = tokens;
  }

  override get mayFollow(): boolean {
    return false;
  }

  get tokenSpan(): number {
    return core.TOKEN_SPAN;
  }

  override ask(tenure: string, options: AskOptions): core.Command<core.AskReply> {
    return core.askFenced(this.keys, { tenure, ...options, ...this.granting, tokens: this.#tokens });
  }

  override handoff(tenure: string, options: StepOptions): core.Command<core.FencedHandoffReply> {
    return core.handoffFenced(this.keys, { tenure, ...options, tokens: this.#tokens });
  }

  override release(tenure: string, options: ReleaseOptions): core.Command<core.ReleaseReply> {
    return this.#minting('release', super.release(tenure, options));
  }

  override cancel(
    tenure: string,
    options: { tombstoneMs: number; end: core.TenureEnd },
  ): core.Command<core.CancelReply> {
    return this.#minting('cancel', super.cancel(tenure, options));
  }

  override serve(): core.Command<core.ServeReply> {
    return this.#minting('serve', super.serve());
  }

  override force(request: string, options: { tombstoneMs: number }): core.Command<core.ForceReply> {
    return this.#minting('force', super.force(request, options));
  }

  #minting<R>(name: Parameters<typeof core.minting>[0], like: core.Command<R>): core.Command<R> {
    return core.minting(name, like, this.keys, { tokens: this.#tokens });
  }
}
