import * as core from '@holdfast/core';
import type { AskOptions, Operations, ReleaseOptions, RenewItem, StepOptions } from '../tenure/operations.js';

/** The operations of the re-entrant lock: the only file that knows its scripts. */
export class LockOperations implements Operations {
  protected readonly keys: core.LockKeys;
  /** How scripts that free a lock choose and tell the next owner; the same for all locks of a client. */
  protected readonly granting: core.Granting;
  readonly primitive: string;

  /** @param primitive - for this process: Redis is told the same of all that are locks to it. */
  constructor(keys: core.LockKeys, granting: core.Granting, primitive = 'lock') {
    this.keys = keys;
    this.granting = granting;
    this.primitive = primitive;
  }

  get name(): string {
    return this.keys.name;
  }

  get key(): string {
    return this.keys.lock;
  }

  get leaseKind(): string {
    return 'lock';
  }

  get releaseChannel(): string {
    return this.keys.releaseChannel;
  }

  ask(tenure: string, { leaseMs, freshMs, ticket, freshTtlMs }: AskOptions): core.Command<core.AskReply> {
    const { claimMs, trust } = this.granting;
    return core.ask(this.keys, { tenure, leaseMs, freshMs, ticket, freshTtlMs, claimMs, trust });
  }

  again(tenure: string, { seq, leaseMs }: StepOptions): core.Command<core.AgainReply> {
    return core.again(this.keys, { tenure, seq, leaseMs });
  }

  handoff(tenure: string, { seq, leaseMs }: StepOptions): core.Command<core.HandoffReply> {
    return core.handoff(this.keys, { tenure, seq, leaseMs });
  }

  release(tenure: string, { seq, tombstoneMs, turn }: ReleaseOptions): core.Command<core.ReleaseReply> {
    const { claimMs, trust } = this.granting;
    return core.release(this.keys, { tenure, seq, tombstoneMs, turn, claimMs, trust });
  }

  get mayFollow(): boolean {
    return true;
  }

  get rest(): Operations['rest'] {
    return (tenure, options) => core.rest(this.keys, { tenure, ...options, trust: this.granting.trust });
  }

  cancel(
    tenure: string,
    { tombstoneMs, end }: { tombstoneMs: number; end: core.TenureEnd },
  ): core.Command<core.CancelReply> {
    const { claimMs, trust } = this.granting;
    return core.cancel(this.keys, { tenure, tombstoneMs, claimMs, trust, end });
  }

  serve(): core.Command<core.ServeReply> {
    return core.serve(this.keys, this.granting);
  }

  renew(items: readonly RenewItem[]): core.Command<core.RenewReply> {
    return core.renew(items.map(({ key, tenure, leaseMs }) => ({ keys: { lock: key }, tenure, leaseMs })));
  }

  force(request: string, { tombstoneMs }: { tombstoneMs: number }): core.Command<core.ForceReply> {
    const { claimMs, trust } = this.granting;
    return core.force(this.keys, { request, tombstoneMs, claimMs, trust });
  }

  peek(tenure: string): core.Command<core.PeekReply> {
    return core.peek(this.keys, { tenure });
  }

  inspect(): core.Command<core.InspectReply> {
    return core.inspect(this.keys);
  }
}
