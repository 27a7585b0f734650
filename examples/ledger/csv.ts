import { readFileSync } from 'node:fs';

/** One line of `transfers.csv`. */
export interface Transfer {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly cents: number;
}

/** Every transfer of the bundled file, in its order. */
export function readTransfers(): Transfer[] {
  const [header, ...rows] = readFileSync(new URL('transfers.csv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  if (header !== 'id,from,to,amount') throw new Error(`transfers.csv has an unexpected header: ${header}`);
  return rows.map((row) => {
    const [id, from, to, amount] = row.split(',');
    const cents = Number(amount);
    if (!id || !from || !to || from === to || !Number.isSafeInteger(cents) || cents <= 0) {
      throw new Error(`transfers.csv has a bad row: ${row}`);
    }
    return { id, from, to, cents };
  });
}
