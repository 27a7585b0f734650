import { type CancelReply, type Command, type ReadWriteKeys, type RenewReply, translated } from '@holdfast/core';
import * as readWrite from '@holdfast/core/read-write';
import type { SharedOperations } from '../read-write/operations.js';
import type {
  AgainReply,
  AskOptions,
  AskReply,
  ForceReply,
  HandoffReply,
  PeekReply,
  ReleaseReply,
  RenewItem,
  Served,
  Side,
  StepOptions,
} from '../tenure/operations.js';

/** The operations of the read-write lock, for one of its sides: the only file that knows its scripts. */
export class ReadWriteOperations implements SharedOperations {
  readonly primitive = 'read-write';
  readonly leaseKind = 'read-write';
  readonly countsHere = true;
  readonly neverShortens = true;
  readonly side: Side;
  readonly #keys: ReadWriteKeys;
  readonly #granting: readWrite.ReadWriteGranting;

  constructor(keys: ReadWriteKeys, granting: readWrite.ReadWriteGranting, side: Side) {
    this.#keys = keys;
    this.#granting = granting;
    this.side = side;
  }

  of(side: Side): ReadWriteOperations {
    return side === this.side ? this : new ReadWriteOperations(this.#keys, this.#granting, side);
  }

  get name(): string {
    return this.#keys.name;
  }

  get key(): string {
    return this.#keys.lock;
  }

  get releaseChannel(): string {
    return this.#keys.releaseChannel;
  }

  get asksBeforehand(): boolean {
    return this.#granting.writersFirst;
  }

  ask(tenure: string, options: AskOptions): Command<AskReply> {
    return readWrite.ask(this.#keys, { tenure, side: this.side, ...options, ...this.#granting });
  }

  /** Counts nothing: only the lease is raised. */
  again(tenure: string, { leaseMs }: StepOptions): Command<AgainReply> {
    return translated(readWrite.raise(this.#keys, { tenure, leaseMs }), asHeld);
  }

  handoff(tenure: string, { leaseMs }: StepOptions): Command<HandoffReply> {
    return readWrite.raise(this.#keys, { tenure, leaseMs });
  }

  look(tenure: string): Command<HandoffReply> {
    return readWrite.raise(this.#keys, { tenure, leaseMs: 0 });
  }

  downgrade(tenure: string): Command<HandoffReply> {
    return readWrite.downgrade(this.#keys, { tenure, ...this.#granting });
  }

  release(tenure: string, { tombstoneMs }: { tombstoneMs: number }): Command<ReleaseReply> {
    return readWrite.release(this.#keys, { tenure, tombstoneMs, ...this.#granting });
  }

  cancel(tenure: string, { tombstoneMs }: { tombstoneMs: number }): Command<CancelReply> {
    return readWrite.cancel(this.#keys, { tenure, tombstoneMs, ...this.#granting });
  }

  serve(): Command<Served> {
    return readWrite.serve(this.#keys, this.#granting);
  }

  renew(items: readonly RenewItem[]): Command<RenewReply> {
    return readWrite.renew(items.map(({ key, tenure, leaseMs }) => ({ keys: { lock: key }, tenure, leaseMs })));
  }

  force(request: string, { tombstoneMs }: { tombstoneMs: number }): Command<ForceReply> {
    const command = readWrite.force(this.#keys, { request, side: this.side, tombstoneMs, ...this.#granting });
    return translated(command, ({ holdersBefore, left }) => {
      const [ownerBefore, ...alsoBefore] = holdersBefore;
      return { ownerBefore, alsoBefore, left };
    });
  }

  /** Of a lock that has a foreign owner, the write side is locked: such an owner has it for itself. */
  peek(tenure: string): Command<PeekReply> {
    return translated(readWrite.peek(this.#keys, { tenure }), ({ side, remainingMs, mine }) => {
      const locked = side === this.side || (side === 'foreign' && this.side === 'write');
      return { locked, remainingMs: locked ? remainingMs : undefined, holdCount: mine ? 1 : 0 };
    });
  }
}

function asHeld(reply: HandoffReply): AgainReply {
  return reply.kind === 'lost' ? reply : { kind: 'held', remainingMs: reply.remainingMs };
}
