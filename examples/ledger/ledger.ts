import type { ChainableCommander, Redis } from 'ioredis';
import type { Transfer } from './csv.js';

/**
 * What Redis keeps of an account. `updates` counts the transfers that touched it; it is read and written together with the balance, so an
 * update that is overwritten is missing from both.
 */
export interface Account {
  readonly balanceCents: number;
  readonly updates: number;
}

/** Nothing of a demo stays in Redis for longer, even if the whole demo is killed. */
const dataTtlSeconds = 600;

/** The accounts in Redis. It knows no locks: whoever reads an account in order to write it must hold its lock. */
export class Ledger {
  readonly #redis: Redis;

  /** @param redis - with a `keyPrefix` of this run's own. */
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async open(accounts: readonly string[], balanceCents: number): Promise<void> {
    const opening = this.#redis.multi();
    for (const name of accounts) this.write(opening, name, { balanceCents, updates: 0 });
    await commit(opening);
  }

  async read(name: string): Promise<Account> {
    const [balance, updates] = await this.#redis.hmget(balanceKey(name), 'balance', 'updates');
    if (balance == null || updates == null) throw new Error(`There is no account ${name}`);
    return { balanceCents: Number(balance), updates: Number(updates) };
  }

  async readAll(accounts: readonly string[]): Promise<Map<string, Account>> {
    return new Map(await Promise.all(accounts.map(async (name) => [name, await this.read(name)] as const)));
  }

  async isApplied(transfer: Transfer): Promise<boolean> {
    return (await this.#redis.exists(appliedKey(transfer.id))) === 1;
  }

  /** A change of several accounts, written by {@link commit} all at once or not at all. */
  change(): ChainableCommander {
    return this.#redis.multi();
  }

  write(change: ChainableCommander, name: string, { balanceCents, updates }: Account): void {
    change.hset(balanceKey(name), 'balance', balanceCents, 'updates', updates);
    change.expire(balanceKey(name), dataTtlSeconds);
  }

  markApplied(change: ChainableCommander, transfer: Transfer): void {
    change.set(appliedKey(transfer.id), 1, 'EX', dataTtlSeconds);
  }

  async remove(accounts: readonly string[], transfers: readonly Transfer[]): Promise<void> {
    await this.#redis.unlink([...accounts.map(balanceKey), ...transfers.map(({ id }) => appliedKey(id))]);
  }
}

/** Writes a change in one MULTI. */
export async function commit(change: ChainableCommander): Promise<void> {
  for (const [error] of (await change.exec()) ?? []) if (error) throw error;
}

const balanceKey = (name: string) => `balance:${name}`;
const appliedKey = (id: string) => `applied:${id}`;
