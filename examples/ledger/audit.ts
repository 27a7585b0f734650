import type { Transfer } from './csv.js';
import type { Account } from './ledger.js';

/** How the accounts compare with what the file of transfers says they must be. */
export interface Audit {
  readonly moneyBeforeCents: number;
  readonly moneyAfterCents: number;
  readonly accounts: number;
  readonly wrongAccounts: number;
  /** Changes of an account that another one wrote over. */
  readonly lostUpdates: number;
}

/** Counts what a run got wrong, given that each of its transfers was applied once. */
export function audit(
  transfers: readonly Transfer[],
  actual: ReadonlyMap<string, Account>,
  openingCents: number,
): Audit {
  let moneyAfterCents = 0;
  let wrongAccounts = 0;
  let lostUpdates = 0;
  for (const [name, account] of actual) {
    const expected = expectedAccount(name, transfers, openingCents);
    moneyAfterCents += account.balanceCents;
    lostUpdates += expected.updates - account.updates;
    if (account.balanceCents !== expected.balanceCents || account.updates !== expected.updates) wrongAccounts++;
  }
  return {
    moneyBeforeCents: openingCents * actual.size,
    moneyAfterCents,
    accounts: actual.size,
    wrongAccounts,
    lostUpdates,
  };
}

function expectedAccount(name: string, transfers: readonly Transfer[], openingCents: number): Account {
  const outgoing = transfers.filter(({ from }) => from === name);
  const incoming = transfers.filter(({ to }) => to === name);
  const sum = (some: readonly Transfer[]) => some.reduce((total, { cents }) => total + cents, 0);
  return {
    balanceCents: openingCents - sum(outgoing) + sum(incoming),
    updates: outgoing.length + incoming.length,
  };
}
