import { setTimeout as sleep } from 'node:timers/promises';
import { LockLostError } from 'holdfast';
import type { ChainableCommander } from 'ioredis';
import type { Transfer } from './csv.js';
import { AccountBusyError, type Guard } from './guard.js';
import { commit, type Ledger } from './ledger.js';

/** `busy` and `lost` transfers are tried again later: an account could not be had, or its lease ran out under us. */
export type Outcome = 'applied' | 'applied-before' | 'busy' | 'lost';

/** An account that a transfer got hold of. */
export interface Taken {
  readonly account: string;
  readonly waitedMs: number;
  /** Wall clock, because other processes compare it. */
  readonly atEpochMs: number;
}

/** Stands for the work between reading and writing. The longer it takes, the more is lost without locks. */
const workMs = 1;

/** One teller: moves money between accounts, safely if its guard is. */
export class Teller {
  readonly #ledger: Ledger;
  readonly #guard: Guard;

  constructor(ledger: Ledger, guard: Guard) {
    this.#ledger = ledger;
    this.#guard = guard;
  }

  async apply(transfer: Transfer): Promise<{ outcome: Outcome; taken: Taken[] }> {
    const taken: Taken[] = [];
    try {
      return { outcome: await this.#guard.thread(() => this.#applyHoldingBoth(transfer, taken)), taken };
    } catch (error) {
      if (error instanceof AccountBusyError) return { outcome: 'busy', taken };
      if (error instanceof LockLostError) return { outcome: 'lost', taken };
      throw error;
    }
  }

  #applyHoldingBoth(transfer: Transfer, taken: Taken[]): Promise<Outcome> {
    // Everybody takes accounts in the same order, else two transfers could wait for each other's.
    const [first, second] = transfer.from < transfer.to ? [transfer.from, transfer.to] : [transfer.to, transfer.from];
    return this.#take(first, taken, () => this.#take(second, taken, () => this.#move(transfer)));
  }

  #take<T>(account: string, taken: Taken[], fn: () => Promise<T>): Promise<T> {
    const askedAt = performance.now();
    return this.#guard.holding(account, () => {
      taken.push({ account, waitedMs: performance.now() - askedAt, atEpochMs: Date.now() });
      return fn();
    });
  }

  async #move(transfer: Transfer): Promise<Outcome> {
    // The worker that had this transfer before may have crashed after it wrote and before it said so.
    if (await this.#ledger.isApplied(transfer)) return 'applied-before';
    const change = this.#ledger.change();
    await this.#debit(transfer.from, transfer.cents, change);
    await this.#credit(transfer.to, transfer.cents, change);
    this.#ledger.markApplied(change, transfer);
    await commit(change);
    return 'applied';
  }

  // Debit and credit are safe on their own, whoever calls them: each takes the account it changes. Here they are called by a transfer
  // that holds it, so they re-enter. A re-entry also asks Redis whether the lock is still ours.

  #debit(account: string, cents: number, change: ChainableCommander): Promise<void> {
    return this.#guard.holding(account, () => this.#add(account, -cents, change));
  }

  #credit(account: string, cents: number, change: ChainableCommander): Promise<void> {
    return this.#guard.holding(account, () => this.#add(account, cents, change));
  }

  async #add(account: string, cents: number, change: ChainableCommander): Promise<void> {
    const { balanceCents, updates } = await this.#ledger.read(account);
    await sleep(workMs);
    this.#ledger.write(change, account, { balanceCents: balanceCents + cents, updates: updates + 1 });
  }
}
