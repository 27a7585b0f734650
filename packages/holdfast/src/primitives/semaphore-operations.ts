import {
  type Command,
  type Granting,
  type KnownRequest,
  type RenewReply,
  type SemaphoreKeys,
  translated,
} from '@holdfast/core';
import * as permits from '@holdfast/core/permits';
import { MAX_TIME_MS } from '../options.js';
import type {
  AskOptions,
  AskReply,
  HandoffReply,
  Operations,
  ReleaseReply,
  RenewItem,
  Served,
} from '../tenure/operations.js';

/** What one call wants. */
export interface PermitsWanted {
  readonly permits: number;
  /** `watched`: the lease that the engine says. `never`: none that ends, which the engine takes for the longest it knows. */
  readonly ends: 'watched' | 'never';
}

const onePermit: PermitsWanted = { permits: 1, ends: 'watched' };

/** The operations of a semaphore, for calls that want so many permits: the only file that knows its scripts. */
export class SemaphoreOperations implements Operations {
  readonly primitive = 'semaphore';
  readonly countsHere = true;
  protected readonly keys: SemaphoreKeys;
  readonly #granting: Granting;
  /** How many permits there are when nobody has said so; 0: somebody must. */
  readonly #initial: number;
  readonly #wanted: PermitsWanted;

  constructor(keys: SemaphoreKeys, granting: Granting, initial: number, wanted: PermitsWanted = onePermit) {
    this.keys = keys;
    this.#granting = granting;
    this.#initial = initial;
    this.#wanted = wanted;
  }

  for(wanted: PermitsWanted): SemaphoreOperations {
    return new SemaphoreOperations(this.keys, this.#granting, this.#initial, wanted);
  }

  get name(): string {
    return this.keys.name;
  }

  /** Leases are kept there, and renewed by it alone. */
  get key(): string {
    return this.keys.permits;
  }

  get leaseKind(): string {
    return `permits ${this.#wanted.ends}`;
  }

  get releaseChannel(): string {
    return this.keys.releaseChannel;
  }

  ask(tenure: string, { leaseMs, ...options }: AskOptions): Command<AskReply> {
    return this.asked(
      permits.ask(this.keys, {
        ...options,
        ...this.#granting,
        tenure,
        wanted: this.#wanted.permits,
        leaseMs: this.lease(leaseMs),
        initial: this.#initial,
      }),
    );
  }

  protected asked(command: Command<permits.PermitsAskReply>): Command<AskReply> {
    return translated(command, asOwned);
  }

  /** The policy lets no call be inside another. */
  again(): never {
    throw new Error('permits are not had again');
  }

  /** The policy passes nothing on. */
  handoff(): never {
    throw new Error('permits are not handed over');
  }

  release(tenure: string, options: { tombstoneMs: number }): Command<ReleaseReply> {
    return this.cancel(tenure, options);
  }

  cancel(tenure: string, { tombstoneMs }: { tombstoneMs: number }): Command<permits.PermitsReleaseReply> {
    return permits.release(this.keys, { tenure, tombstoneMs, ...this.#granting });
  }

  /** Gives back what the tenure has over `left`. */
  shrink(tenure: string, left: number): Command<HandoffReply> {
    return permits.shrink(this.keys, { tenure, left, ...this.#granting });
  }

  serve(): Command<Served> {
    return permits.serve(this.keys, this.#granting);
  }

  renew(items: readonly RenewItem[]): Command<RenewReply> {
    const command = permits.renew(
      items.map(({ key, tenure, leaseMs }) => ({ keys: { permits: key }, tenure, leaseMs: this.lease(leaseMs) })),
    );
    return translated(command, asEnding);
  }

  /** @param request - a fresh id, which copies of the command share. */
  count(
    request: string,
    options: { readonly change: permits.Counting; readonly tombstoneMs: number },
  ): Command<permits.CountReply> {
    return permits.count(this.keys, { request, ...options, ...this.#granting });
  }

  takeBack(ids: readonly string[], request: KnownRequest): Command<permits.TakeBackReply> {
    return permits.takeBack(this.keys, { ids, ...request, ...this.#granting });
  }

  setLease(id: string, leaseMs: permits.Lease, request: KnownRequest): Command<boolean> {
    return permits.setLease(this.keys, { id, leaseMs, ...request });
  }

  /** What is left of the lease of `id`, if it stands for a permit. */
  lookAt(id: string): Command<RenewReply> {
    return permits.renew([{ keys: this.keys, tenure: id, leaseMs: 0 }]);
  }

  peek(): Command<permits.PermitsPeekReply> {
    return permits.peek(this.keys);
  }

  inspect(): Command<permits.PermitsInspectReply> {
    return permits.inspect(this.keys);
  }

  /** Shorter ones are claims, and looks. */
  protected lease(leaseMs: number): permits.Lease {
    return this.#wanted.ends === 'never' && leaseMs === MAX_TIME_MS ? 'never' : leaseMs;
  }
}

/** Permits that come back by themselves are no news to who gets them. */
function asOwned(reply: permits.PermitsAskReply): AskReply {
  if (reply.kind !== 'acquired' && reply.kind !== 'mine') return reply;
  return { ...reply, remainingMs: reply.remainingMs ?? MAX_TIME_MS, inherited: 'nothing' };
}

/** Where a lease of a lock has no end, that is to be repaired; one of permits has none on purpose. */
function asEnding({ nowMs, outcomes }: RenewReply): RenewReply {
  return {
    nowMs,
    outcomes: outcomes.map((outcome) =>
      outcome.kind === 'held' ? { ...outcome, remainingMs: outcome.remainingMs ?? MAX_TIME_MS } : outcome,
    ),
  };
}
