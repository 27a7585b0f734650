// What the page on fenced locks says of databases, where there is a PostgreSQL. Prisma is left to `npm run stores`: its tools are 300 MB.
import { checkStores, findStore, PostgresMissing } from '../stores/check.mjs';

/** @param {import('./step.mjs').Tally} tally */
export async function checkShortStores(tally) {
  const name = 'stale writers are refused by Drizzle and TypeORM on PostgreSQL (npm run stores -- --short)';
  let start;
  try {
    start = await findStore();
  } catch (error) {
    if (error instanceof PostgresMissing) tally.skip(name, error.message);
    else tally.fail(`${name}: ${error.message}`);
    return;
  }
  await tally.check(name, () => checkStores(start, ['Drizzle', 'TypeORM']));
}
